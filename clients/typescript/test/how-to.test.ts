/** The programs of the how-to for TypeScript run as they stand, with scripted models. */

import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { Annotation, START, StateGraph } from "@langchain/langgraph";
import { Agent, run, setTracingDisabled } from "@openai/agents";
import { assistantMessage, ScriptedModel } from "@openai/agents/testing";
import { model, text } from "./support/model.ts";
import { Server, scripted } from "./support/server.ts";

const PAGE = new URL("../../../docs/how-to/use-it-from-typescript.md", import.meta.url);
/** Where the package finds itself, and no linter looks. */
const PROGRAMS = new URL("../dist/how-to/", import.meta.url);

let server: Server;
let programs: string[];
before(async () => {
  server = await Server.start();
  const page = await readFile(PAGE, "utf8");
  programs = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map(([, program = ""]) => program);
  await mkdir(PROGRAMS, { recursive: true });
});
after(() => server.stop());

/** Run a program of the page after what it takes for granted, and return what it has in a name. */
async function result(number: number, name: string, known: Record<string, unknown>): Promise<unknown> {
  Object.assign(globalThis, known);
  const file = new URL(`${number}.ts`, PROGRAMS);
  await writeFile(file, `${programs[number]}\nexport { ${name} };\n`);
  return (await import(file.href))[name];
}

test("the first program finds what was said", async () => {
  Object.assign(process.env, { CAIRN_URL: server.url, CAIRN_KEY: server.key });
  const found = (await result(0, "found", {})) as { content: string }[];

  assert.ok(found.some((hit) => hit.content === "I moved to Oslo and took up rowing."));
});

test("the AI SDK's program is told in its second session what the first heard", async () => {
  const mock = model([text("Hello, Rex.")], [text("Rex.")]);
  const answer = await result(1, "text", { model: mock, cairn: server.cairn({ user: "ben" }) });

  assert.equal(answer, "Rex.");
  assert.match(JSON.stringify(mock.doGenerateCalls[1]?.prompt), /My dog is called Rex/);
});

test("the program of the OpenAI Agents SDK keeps its items", async () => {
  setTracingDisabled(true);
  const agent = new Agent({ name: "Gardener", model: new ScriptedModel([[assistantMessage("It is.")]]) });
  const cairn = server.cairn({ user: "cleo" });

  assert.equal(await result(2, "finalOutput", { agent, run, cairn }), "It is.");
  assert.equal((await cairn.items("thread-1").read()).count, 2);
});

test("the program of LangGraph.js keeps its thread", async () => {
  const State = Annotation.Root({ said: Annotation<string[]> });
  const graph = new StateGraph(State).addNode("echo", async ({ said }) => ({ said })).addEdge(START, "echo");

  const app = (await result(3, "app", { graph, cairn: server.cairn({ user: "dan" }) })) as ReturnType<
    typeof graph.compile
  >;

  const state = await app.getState({ configurable: { thread_id: "thread-1" } });
  assert.deepEqual(state.values.said, ["Hello"]);
});

test("the program of Anthropic's SDK offers the memory tool", async (context) => {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "claude", stop_sequence: null, usage };
  const stub = await scripted([
    { body: { ...message, content: [{ type: "text", text: "Hi." }], stop_reason: "end_turn" } },
  ]);
  context.after(stub.close);
  const client = new Anthropic({ apiKey: "k", baseURL: stub.url });

  await result(4, "answer", {
    client,
    cairn: server.cairn({ user: "eve" }),
    messages: [{ role: "user", content: "Hello" }],
  });

  assert.match(JSON.stringify(stub.asked[0]?.body), /memory_20250818/);
});

test("all programs of the page are run", () => {
  assert.equal(programs.length, 5);
});
