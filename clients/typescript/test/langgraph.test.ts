/** LangGraph.js's real graphs over the saver, and its store in memory beside ours under random commands. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CairnSaver, CairnStore } from "@cairn/client/langgraph";
import { Annotation, Command, interrupt, type LangGraphRunnableConfig, START, StateGraph } from "@langchain/langgraph";
import {
  type BaseStore,
  InMemoryStore,
  InvalidNamespaceError,
  type Item,
  type Operation,
} from "@langchain/langgraph-checkpoint";
import { COMMANDS, chance, drawing } from "./support/chance.ts";
import { Server } from "./support/server.ts";

let server: Server;
before(async () => {
  server = await Server.start();
});
after(() => server.stop());

let projects = 0;
const fresh = () => ({ cairn: server.cairn(), project: `graphs-${++projects}` });
const configOf = (thread: string, more = {}) => ({ configurable: { thread_id: thread, ...more } });

const State = Annotation.Root({
  said: Annotation<string[]>({ reducer: (one, other) => [...one, ...other], default: () => [] }),
  blob: Annotation<Uint8Array | undefined>,
});

const echo = async ({ said }: typeof State.State) => ({ said: [`heard ${said.at(-1)}`] });

const graph = (checkpointer: CairnSaver, node = echo) =>
  new StateGraph(State).addNode("echo", node).addEdge(START, "echo").compile({ checkpointer });

test("a graph goes on where another process stopped, and its threads are apart", async () => {
  const options = fresh();
  await graph(new CairnSaver(options)).invoke({ said: ["one"] }, configOf("a"));
  await graph(new CairnSaver(options)).invoke({ said: ["other"] }, configOf("b"));

  const { said } = await graph(new CairnSaver(options)).invoke({ said: ["two"] }, configOf("a"));

  assert.deepEqual(said, ["one", "heard one", "two", "heard two"]);
});

test("two forks of a thread keep values of their own", async () => {
  const options = fresh();
  const app = graph(new CairnSaver(options));
  await app.invoke({ said: ["root"] }, configOf("fork"));
  const { config } = await app.getState(configOf("fork"));

  const left = await app.invoke({ said: ["left"] }, config);
  const tip = (await app.getState(configOf("fork"))).config;
  const right = await app.invoke({ said: ["right"] }, config);

  assert.deepEqual(left.said.slice(2), ["left", "heard left"]);
  assert.deepEqual(right.said.slice(2), ["right", "heard right"]);
  const read = await graph(new CairnSaver(options)).getState(tip);
  assert.deepEqual(read.values.said.slice(2), ["left", "heard left"]);
});

test("a graph that was interrupted is resumed by another process, and its history is whole", async () => {
  const options = fresh();
  const asks = async () => ({ said: [`answer: ${interrupt("Sure?")}`] });
  await graph(new CairnSaver(options), asks).invoke({ said: ["delete it"] }, configOf("ask"));

  const later = graph(new CairnSaver(options), asks);
  const { said } = await later.invoke(new Command({ resume: "yes" }), configOf("ask"));
  const history = await Array.fromAsync(later.getStateHistory(configOf("ask")));

  assert.deepEqual(said, ["delete it", "answer: yes"]);
  assert.deepEqual(
    history.map((state) => state.values.said?.length ?? 0),
    [2, 1, 0],
  );
});

test("values of megabytes come back, and a thread that is deleted leaves nothing", async () => {
  const options = fresh();
  const saver = new CairnSaver(options);
  const blob = Uint8Array.from({ length: 600_000 }, (_, place) => (place * 31) % 251);
  await graph(saver).invoke({ said: ["x".repeat(800_000)], blob }, configOf("large"));

  const { values } = await graph(new CairnSaver(options)).getState(configOf("large"));
  assert.deepEqual([values.blob?.length, values.said?.[0]?.length], [600_000, 800_000]);
  assert.ok(Buffer.from(values.blob).equals(Buffer.from(blob)));

  await saver.deleteThread("large");
  assert.equal(await saver.getTuple(configOf("large")), undefined);
  assert.deepEqual(await options.cairn.documents({ project: options.project }).keys([]), []);
});

test("a task that is run again does not change what it wrote", async () => {
  const saver = new CairnSaver(fresh());
  const config = configOf("again", { checkpoint_ns: "", checkpoint_id: "1" });
  const checkpoint = { v: 4, id: "1", ts: "", channel_values: {}, channel_versions: {}, versions_seen: {} };
  await saver.put(configOf("again"), checkpoint, { source: "input", step: -1, parents: {} }, {});
  await saver.putWrites(config, [["one", 1]], "task");

  await saver.putWrites(
    config,
    [
      ["one", 7],
      ["two", 2],
    ],
    "task",
  );

  assert.deepEqual((await saver.getTuple(config))?.pendingWrites, [
    ["task", "one", 1],
    ["task", "two", 2],
  ]);
});

test("a thread that has no name, or none that is text, is refused", async () => {
  const saver = new CairnSaver(fresh());
  await assert.rejects(graph(saver).invoke({ said: [] }, configOf("")), /thread_id/);
  await assert.rejects(saver.put({}, {} as never, {} as never, {}), /thread_id/);
});

const LABELS = ["ada", "ben", "notes", "ü", "a b", "x/y"];

function drawnFilter(pick: ReturnType<typeof drawing>): Record<string, unknown> | undefined {
  const number = pick(0, 1, 2, 3);
  return pick<Record<string, unknown> | undefined>(
    undefined,
    { kind: pick("note", "task") },
    { rows: { $gt: number } },
    { rows: { $gte: number, $lt: 3 }, kind: "note" },
    { rows: { $lte: number } },
    { kind: { $ne: "note" } },
    { kind: { $eq: "task" } },
    { rows: { $in: [number, 9] } },
    { kind: { $nin: ["task"] }, rows: { $gte: 1 } },
  );
}

function drawnOperation(random: () => number): Operation {
  const pick = drawing(random);
  const namespace = Array.from({ length: pick(1, 1, 2, 3) }, () => pick(...LABELS));
  const key = pick("k1", "k2", "k3", "ü/~0", "a:b", "", "50%", "%0025", "line\n\u0000");
  const value = {
    kind: pick("note", "task"),
    rows: pick(0, 1, 2, 3),
    text: pick("beans", "", "NUL \u0000"),
    list: [1, { a: null }],
  };
  const prefix = namespace.slice(0, pick(0, 1, 2));
  const depth = pick(undefined, 1, 2);
  const path = prefix.map((label) => pick(label, label, "*"));
  const condition = () => ({
    matchType: pick("prefix" as const, "suffix" as const),
    path: pick(path, ["*"], [pick(...LABELS)]),
  });
  const conditions = pick([condition()], [condition(), condition()]);
  return pick<Operation>(
    { namespace, key, value },
    { namespace, key, value },
    { namespace, key, value: null },
    { namespace, key },
    { namespacePrefix: prefix, filter: drawnFilter(pick), limit: 1000, offset: 0 } as Operation,
    { matchConditions: pick(undefined, conditions, conditions), maxDepth: depth, limit: 1000, offset: 0 } as Operation,
  );
}

/** Return what the store in memory answers: it hands out its own items, which the puts of the same batch change. */
async function batched(store: InMemoryStore, operations: Operation[]): Promise<unknown[]> {
  const isPut = (operation: Operation) => "value" in operation;
  const read = structuredClone(await store.batch(operations.filter((each) => !isPut(each)))) as unknown[];
  await store.batch(structuredClone(operations.filter(isPut)));
  return operations.map((each) => (isPut(each) ? null : read.shift()));
}

/** Return an answer without times, and lists in one order: the store in memory has that of insertion. */
function plain(answer: unknown): unknown {
  const item = ({ namespace, key, value }: Item) => ({ namespace, key, value });
  if (Array.isArray(answer)) {
    const texts = answer.map((each) => JSON.stringify(Array.isArray(each) ? each : item(each)));
    return texts.toSorted();
  }
  return answer ? item(answer as Item) : null;
}

test("under random batches the store answers as the one in memory does", async () => {
  const random = chance(3);
  const ours: BaseStore = new CairnStore(fresh());
  const theirs = new InMemoryStore();
  const { data } = theirs as unknown as { data: Map<string, Map<string, unknown>> };
  for (let number = 0; number < COMMANDS; number++) {
    const size = drawing(random)(1, 1, 2, 6);
    const operations = Array.from({ length: size }, () => drawnOperation(random));
    // It goes on listing namespaces that have become empty.
    for (const [namespace, items] of data) if (items.size === 0) data.delete(namespace);
    const [answers, expected] = [await ours.batch(operations), await batched(theirs, operations)];
    for (const [place, operation] of operations.entries()) {
      assert.deepEqual(plain(answers[place]), plain(expected[place]), `batch ${number}: ${JSON.stringify(operation)}`);
    }
  }
});

test("a search ranks by words, leaves out what is not searched, and pages", async () => {
  const options = fresh();
  const store = new CairnStore({ ...options, fields: ["text"] });
  await store.put(["notes"], "north", { text: "The north bed gets four hours of sun.", hidden: "gravel" });
  await store.put(["notes"], "path", { text: "The path is of gravel." });
  await store.put(["notes", "old"], "secret", { text: "Gravel, too." }, false);

  const found = await store.search(["notes"], { query: "Where is gravel?" });

  assert.deepEqual(
    found.map((item) => [item.key, typeof item.score]),
    [
      ["path", "number"],
      ["north", "number"],
      ["secret", "undefined"],
    ],
  );
  const [first, second] = [
    await store.search(["notes"], { limit: 2 }),
    await store.search(["notes"], { limit: 2, offset: 2 }),
  ];
  assert.deepEqual(
    [...first, ...second].map((item) => item.key),
    ["north", "path", "secret"],
  );
  assert.ok(found[0]?.createdAt instanceof Date);
});

test("names that the store in memory refuses are refused, and nothing is stored", async () => {
  const store = new CairnStore(fresh());
  const wrong = [["a.b"], [""], [], ["a:b"]];
  for (const namespace of wrong) {
    await assert.rejects(
      store.batch([
        { namespace: ["right"], key: "k", value: {} },
        { namespace, key: "k", value: {} },
      ]),
      InvalidNamespaceError,
    );
  }
  await assert.rejects(store.put(["langgraph"], "k", {}), InvalidNamespaceError);
  assert.deepEqual(await store.listNamespaces(), []);
});

test("a graph's nodes find in the store what another thread put there", async () => {
  const options = fresh();
  const store = new CairnStore(options);
  const node = async ({ said }: typeof State.State, { store: its }: LangGraphRunnableConfig) => {
    const known = await its?.search(["ada"], { query: said.at(-1) ?? "" });
    await its?.put(["ada"], crypto.randomUUID(), { text: said.at(-1) });
    return { said: known?.map((item) => `knows: ${item.value.text}`) ?? [] };
  };
  const app = new StateGraph(State).addNode("note", node).addEdge(START, "note").compile({ store });

  await app.invoke({ said: ["My dog is called Rex."] });
  const { said } = await app.invoke({ said: ["What is my dog called?"] });

  assert.deepEqual(said, ["What is my dog called?", "knows: My dog is called Rex."]);
});

test("a store and a saver of one project do not see each other's documents", async () => {
  const options = fresh();
  await graph(new CairnSaver(options)).invoke({ said: ["beans"] }, configOf("a"));

  assert.deepEqual(await new CairnStore(options).search([], { limit: 100 }), []);
});
