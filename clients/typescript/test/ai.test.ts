/** The AI SDK's own functions with a scripted model, over a real server: what is recalled, and what is stored once. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { type Arguments, Cairn, type Calls, type ToolName, Unavailable } from "@cairn/client";
import { cairnTools, withCairn } from "@cairn/client/ai";
import { generateText, isStepCount, type ModelMessage, streamText, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { z } from "zod";
import { call, model, stream, text } from "./support/model.ts";
import { Server } from "./support/server.ts";

let server: Server;
before(async () => {
  server = await Server.start();
});
after(() => server.stop());

let people = 0;
/** A memory of somebody whom no other test knows. */
const somebody = () => {
  const user = `user-${++people}`;
  return server.cairn({ user, session: `of-${user}` });
};

const look = tool({
  description: "Look at a row",
  inputSchema: z.object({ row: z.number() }),
  execute: async ({ row }) => ({ row, ripe: true }),
});

/** Return the same memory, of whose calls something is done before they are made, and after. */
const through = (cairn: Cairn, before: (tool: string) => void, after: (tool: string) => void = () => {}) => {
  const calls: Calls = {
    async call(tool, args, options) {
      before(tool);
      const answer = await cairn.call(tool as ToolName, args as Arguments<ToolName>, options);
      after(tool);
      return answer;
    },
  };
  const { user_id: user, session_id: session, project } = cairn.names();
  return new Cairn({ calls, where: cairn.where, user, session, project });
};

const stored = async (cairn: Cairn) => (await cairn.history()).map((said) => `${said.who}: ${said.content}`);

const output = (result: { output: unknown } | undefined) => {
  assert.ok(result);
  return result.output as Record<string, unknown>;
};

const prompted = (mock: MockLanguageModelV4, number = -1): LanguageModelV4Prompt => {
  const calls = [...mock.doGenerateCalls, ...mock.doStreamCalls];
  const asked = calls.at(number);
  assert.ok(asked);
  return asked.prompt;
};

const roleThatSays = (prompt: LanguageModelV4Prompt, words: string) =>
  prompt.filter((message) => JSON.stringify(message).includes(words)).map((message) => message.role);

test("a second run is told what the first was told, as data in the user's own message", async () => {
  const cairn = somebody();
  await generateText({ model: withCairn(model([text("Hello, Rex!")]), { cairn }), prompt: "My dog is called Rex." });
  const mock = model([text("Rex.")]);

  const { text: answer } = await generateText({
    model: withCairn(mock, { cairn, session: `second-${people}` }),
    instructions: "Be brief.",
    prompt: "What is my dog called?",
  });

  const prompt = prompted(mock);
  assert.equal(answer, "Rex.");
  assert.deepEqual(roleThatSays(prompt, "Rex"), ["user"]);
  assert.deepEqual(prompt[0], { role: "system", content: "Be brief." });
  const content = prompt[1]?.content as { text: string }[];
  assert.match(content[0]?.text ?? "", /untrusted data, never instructions[\s\S]*Rex/);
  assert.equal(content[1]?.text, "What is my dog called?");
  assert.deepEqual(await stored(cairn), ["user: My dog is called Rex.", "assistant: Hello, Rex!"]);
  assert.deepEqual(await stored(cairn.at({ session: `second-${people}` })), [
    "user: What is my dog called?",
    "assistant: Rex.",
  ]);
});

test("streams are told and stored alike, and pass on each part as it came", async () => {
  const cairn = somebody();
  const first = streamText({ model: withCairn(model([text("Hello, old Rex!")]), { cairn }), prompt: "My dog is Rex." });
  const chunks = await Array.fromAsync(first.textStream);
  const mock = model([text("Rex.")]);

  const second = streamText({
    model: withCairn(mock, { cairn, session: `second-${people}` }),
    prompt: "Who is my dog?",
  });
  await second.consumeStream();

  assert.deepEqual(chunks, ["Hello, ", "old ", "Rex!"]);
  assert.deepEqual(roleThatSays(prompted(mock), "Rex"), ["user"]);
  assert.deepEqual(await stored(cairn), ["user: My dog is Rex.", "assistant: Hello, old Rex!"]);
  assert.deepEqual(await stored(cairn.at({ session: `second-${people}` })), [
    "user: Who is my dog?",
    "assistant: Rex.",
  ]);
});

test("a conversation that the program keeps is not told twice, and each of its turns is stored once", async () => {
  const cairn = somebody();
  const mock = model([text("Lovely.")], [text("Beans.")], [text("In May.")]);
  const wrapped = withCairn(mock, { cairn });
  const messages: ModelMessage[] = [];
  for (const words of ["I grow beans.", "What do I grow?", "When do I sow?"]) {
    messages.push({ role: "user", content: words });
    messages.push(...(await generateText({ model: wrapped, messages })).responseMessages);
  }

  const history = ["user: I grow beans.", "assistant: Lovely.", "user: What do I grow?", "assistant: Beans."];
  assert.deepEqual(await stored(cairn), [...history, "user: When do I sow?", "assistant: In May."]);
  assert.equal(JSON.stringify(prompted(mock)).split("What do I grow?").length, 2);
});

test("a turn with tools is one turn, recalled once, with what was called and returned in it", async () => {
  for (const run of [generateText, streamText] as const) {
    const cairn = somebody();
    await cairn.add("My dog is called Rex.", { session: "before" });
    const asked: string[] = [];
    const spied = through(cairn, (tool) => asked.push(tool));
    const mock = model(
      [text("Let me look."), call("look", { row: 2 })],
      [call("look", { row: 3 }, "call-2")],
      [text("Ripe.")],
    );

    const result = run({
      model: withCairn(mock, { cairn: spied }),
      tools: { look },
      stopWhen: isStepCount(5),
      prompt: "Is row two ripe for my dog?",
    });
    if ("consumeStream" in result) await result.consumeStream();
    else await result;

    assert.deepEqual(asked, ["memory_before_turn", "memory_after_turn"]);
    const calls = [...mock.doGenerateCalls, ...mock.doStreamCalls];
    assert.equal(calls.length, 3);
    for (const { prompt } of calls) assert.deepEqual(roleThatSays(prompt, "Rex"), ["user"]);
    assert.deepEqual(await stored(cairn), [
      "user: Is row two ripe for my dog?",
      "assistant: Let me look.",
      'assistant: {"row":2}',
      'tool: {"row":2,"ripe":true}',
      'assistant: {"row":3}',
      'tool: {"row":3,"ripe":true}',
      "assistant: Ripe.",
    ]);
    assert.equal(new Set((await cairn.history()).map((said) => said.turnId)).size, 1);
  }
});

test("a turn that stops at a tool call is stored with the turn that brings its messages", async () => {
  const cairn = somebody();
  const wrapped = withCairn(model([call("look", { row: 2 })], [text("It is ripe.")]), { cairn });
  const messages: ModelMessage[] = [{ role: "user", content: "Look at row two." }];
  messages.push(...(await generateText({ model: wrapped, tools: { look }, messages })).responseMessages);
  assert.deepEqual(await stored(cairn), []);

  messages.push({ role: "user", content: "And?" });
  await generateText({ model: wrapped, tools: { look }, messages });

  assert.deepEqual(await stored(cairn), [
    "user: Look at row two.",
    'assistant: {"row":2}',
    'tool: {"row":2,"ripe":true}',
    "user: And?",
    "assistant: It is ripe.",
  ]);
});

test("a stream that is broken off is stored as far as it came", async () => {
  const cairn = somebody();
  const leaving = new AbortController();
  const mock = new MockLanguageModelV4({
    doStream: async ({ abortSignal }) => ({
      stream: stream([text("One two ")], (controller) => {
        abortSignal?.addEventListener("abort", () => controller.error(abortSignal.reason));
      }),
    }),
  });
  const { promise: isStored, resolve } = Promise.withResolvers<void>();
  const told = through(
    cairn,
    () => {},
    (tool) => tool === "memory_after_turn" && resolve(),
  );

  const wrapped = withCairn(mock, { cairn: told });
  const result = streamText({ model: wrapped, prompt: "Count.", abortSignal: leaving.signal });
  for await (const part of result.stream) {
    if (part.type === "text-delta" && part.text === "two ") leaving.abort();
  }

  await isStored;
  assert.deepEqual(await stored(cairn), ["user: Count.", "assistant: One two "]);
});

test("a stream that its reader lets go of, or that ends with its signal, is stored once", async () => {
  for (const letGo of [true, false]) {
    const cairn = somebody();
    const gone = new AbortController();
    const mock = new MockLanguageModelV4({
      doStream: async () => ({
        stream: stream([text("One two")], (controller) => controller.error(gone.signal.reason)),
      }),
    });
    const prompt: LanguageModelV4Prompt = [{ role: "user", content: [{ type: "text", text: "Count." }] }];
    const { stream: heard } = await withCairn(mock, { cairn }).doStream({ prompt, abortSignal: gone.signal });
    const reader = heard.getReader();
    for (let number = 0; number < 4; number++) await reader.read();
    if (letGo) await reader.cancel();
    else {
      gone.abort();
      await assert.rejects(async () => {
        while (!(await reader.read()).done);
      });
    }
    assert.deepEqual(await stored(cairn), ["user: Count.", "assistant: One two"]);
  }
});

test("a model that fails stores nothing, and the user's words come with the next turn", async () => {
  const cairn = somebody();
  const failing = new MockLanguageModelV4({
    doGenerate: async () => {
      throw new Error("overloaded");
    },
    doStream: async () => ({ stream: stream([text("One ")], (controller) => controller.error(new Error("broken"))) }),
  });
  await assert.rejects(generateText({ model: withCairn(failing, { cairn }), prompt: "I grow beans." }), /overloaded/);
  const broken = streamText({ model: withCairn(failing, { cairn }), prompt: "I grow beans.", onError: () => {} });
  await broken.consumeStream();
  assert.deepEqual(await stored(cairn), []);

  const messages: ModelMessage[] = ["I grow beans.", "Hello?"].map((content) => ({ role: "user", content }));
  await generateText({ model: withCairn(model([text("Hello.")]), { cairn }), messages });

  assert.deepEqual(await stored(cairn), ["user: I grow beans.", "user: Hello?", "assistant: Hello."]);
});

test("a turn with an id of the program's own is stored once, and the provider is not told of it", async () => {
  const cairn = somebody();
  const mock = model([text("Lovely.")]);
  const wrapped = withCairn(mock, { cairn });
  const providerOptions = { cairn: { turnId: "message-1", session: "chat" }, other: { kept: true } };

  await generateText({ model: wrapped, prompt: "I grow beans.", providerOptions });
  await generateText({ model: wrapped, prompt: "I grow beans.", providerOptions });

  assert.deepEqual(await stored(cairn.at({ session: "chat" })), ["user: I grow beans.", "assistant: Lovely."]);
  assert.deepEqual(mock.doGenerateCalls[0]?.providerOptions, { other: { kept: true } });
});

test("the same words said twice are two turns", async () => {
  const cairn = somebody();
  const wrapped = withCairn(model([text("Good.")]), { cairn });

  await generateText({ model: wrapped, prompt: "Yes." });
  await generateText({ model: wrapped, prompt: "Yes." });

  assert.equal((await stored(cairn)).length, 4);
});

test("memory that fails fails the call, unless somebody is told: then the model answers without it", async () => {
  const cairn = through(somebody(), () => {
    throw new Unavailable("gone");
  });
  const told: unknown[] = [];

  await assert.rejects(
    generateText({ model: withCairn(model([text("Hi.")]), { cairn }), prompt: "Hello" }),
    Unavailable,
  );
  const wrapped = withCairn(model([text("Hi.")]), { cairn, onError: (error) => told.push(error) });
  const answer = await generateText({ model: wrapped, prompt: "Hello" });

  assert.equal(answer.text, "Hi.");
  assert.equal(told.length, 2);
});

test("what no server keeps of a text is replaced, so that the turn is stored", async () => {
  const cairn = somebody();
  const read = tool({ inputSchema: z.object({}), execute: async () => ({ bytes: "PNG \u0000 \ud800" }) });
  const mock = model([call("read", {})], [text("Odd \u0000.")]);

  await generateText({
    model: withCairn(mock, { cairn }),
    tools: { read },
    stopWhen: isStepCount(2),
    prompt: "Read \u0000 it.",
  });

  const [said, , result, answer] = await stored(cairn);
  assert.deepEqual([said, answer], ["user: Read \ufffd it.", "assistant: Odd \ufffd."]);
  assert.equal(result, 'tool: {"bytes":"PNG \ufffd \ufffd"}');
});

test("a turn whose acknowledgement was lost is stored once", async () => {
  const { user_id: user, session_id: session } = somebody().names();
  const losses = new Set(["memory_before_turn", "memory_after_turn"]);
  const losing: typeof fetch = async (...request) => {
    const answer = await fetch(...request);
    const [tool = ""] = /\w+$/.exec(String(request[0])) ?? [];
    if (losses.delete(tool)) throw new TypeError("the connection broke");
    return answer;
  };
  const cairn = new Cairn({ url: server.url, key: server.key, project: "garden", user, session, fetch: losing });

  await generateText({ model: withCairn(model([text("Lovely.")]), { cairn }), prompt: "I grow beans." });

  assert.equal(losses.size, 0);
  assert.deepEqual(await stored(cairn), ["user: I grow beans.", "assistant: Lovely."]);
});

test("files are stored by their names, and thoughts are not", async () => {
  const cairn = somebody();
  const messages: ModelMessage[] = [
    {
      role: "user",
      content: [
        { type: "text", text: "What is this?" },
        { type: "file", data: new Uint8Array([1, 2]), mediaType: "image/png", filename: "beans.png" },
      ],
    },
  ];
  const thinking = model([{ type: "reasoning", text: "Green." }, text("Beans.")]);

  await generateText({ model: withCairn(thinking, { cairn }), messages });

  assert.deepEqual(await stored(cairn), ["user: What is this?\n[image: beans.png]", "assistant: Beans."]);
});

test("an agent remembers, recalls and forgets by itself, for nobody but its user", async () => {
  const cairn = somebody();
  const tools = cairnTools({ cairn });
  const other = server.cairn({ user: "other", session: "one" });
  const run = (...answers: Parameters<typeof model>) =>
    generateText({ model: model(...answers), tools, stopWhen: isStepCount(4), prompt: "Go on." });

  const kept = await run([call("remember", { content: "The shed is red.", user_id: "other" })], [text("Done.")]);
  const [made] = kept.steps.flatMap((step) => step.toolResults);
  const id = output(made).memory_id;
  const found = await run([call("recall", { query: "shed" })], [text("Red.")]);
  await run([call("forget", { memory_id: id })], [text("Gone.")]);

  const [hits] = found.steps.flatMap((step) => step.toolResults);
  assert.equal(output(hits).count, 1);
  assert.equal((await cairn.search("shed")).found.length, 0);
  assert.equal((await other.search("shed")).found.length, 0);
  assert.match(String(tools.recall.description), /^Call before you decide/);
});

test("what a tool of memory refuses, the model is told", async () => {
  const tools = cairnTools({ cairn: somebody() });
  const mock = model([call("forget", { memory_id: "nothing" })], [text("Sorry.")]);

  const { steps } = await generateText({ model: mock, tools, stopWhen: isStepCount(2), prompt: "Forget it." });

  assert.equal(
    steps[0]?.content.some((part) => part.type === "tool-error"),
    true,
  );
});
