/** A lasting session beside the SDK's own in memory, under random commands and its real Runner. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CairnSession } from "@cairn/client/openai-agents";
import { Agent, type AgentInputItem, MemorySession, Runner, type Session, tool } from "@openai/agents";
import { assistantMessage, functionCall, ScriptedModel } from "@openai/agents/testing";
import { z } from "zod";
import { COMMANDS, chance, drawing } from "./support/chance.ts";
import { Server } from "./support/server.ts";

let server: Server;
before(async () => {
  server = await Server.start();
});
after(() => server.stop());

const runner = new Runner({ tracingDisabled: true });
const cairn = () => server.cairn({ user: "ada" });

/** Return an item as a vendor has it, with what is easily lost on the way. */
function drawnItem(random: () => number, number: number): AgentInputItem {
  const pick = drawing(random);
  const text = pick(
    "",
    "Hello",
    "lone \ud800",
    "ü 漢字 \u0000 \u{1f331}",
    "x".repeat(pick(10, 40_000)),
    '{"a": 1}',
    "  spaces  ",
  );
  const image = pick("data:image/png;base64,AA==", "https://example.com/a.png");
  return pick<AgentInputItem>(
    { role: "user", content: text },
    {
      role: "user",
      content: [
        { type: "input_text", text },
        { type: "input_image", image },
      ],
    },
    {
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text, providerData: { a: [1.5, null] } }],
    },
    { type: "function_call", callId: `call-${number}`, name: "look", arguments: text, status: "completed" },
    {
      type: "function_call_result",
      callId: `call-${number}`,
      name: "look",
      status: "completed",
      output: { type: "text", text },
    },
    { type: "reasoning", id: `r-${number}`, content: [{ type: "input_text", text }], rawContent: [] },
    {
      type: "function_call_result",
      callId: `call-${number}`,
      name: "draw",
      status: "completed",
      output: { type: "image", image: { data: new Uint8Array([number % 256, 0, 255]), mediaType: "image/png" } },
    },
  );
}

type Command = (session: Session) => Promise<unknown>;

function drawnCommand(random: () => number, number: number): Command {
  const pick = drawing(random);
  const size = pick(0, 1, 1, 2, 5, pick(3, 70));
  const items = Array.from({ length: size }, (_, place) => drawnItem(random, number * 100 + place));
  const limit = pick(undefined, 0, 1, 3, 50, -1);
  return pick<Command>(
    (session) => session.addItems(items),
    (session) => session.addItems(items),
    (session) => session.getItems(limit),
    (session) => session.getItems(),
    (session) => session.popItem(),
    (session) => session.popItem(),
    (session) => (number % 17 === 0 ? session.clearSession() : session.getItems(2)),
    (session) => session.getSessionId(),
  );
}

test("under random commands the session answers as the one in memory does", async () => {
  const random = chance(21);
  const sessionId = "random";
  let ours: Session = new CairnSession({ cairn: cairn(), sessionId });
  const theirs = new MemorySession({ sessionId });
  for (let number = 0; number < COMMANDS; number++) {
    const command = drawnCommand(random, number);
    const [answer, expected] = [await command(ours), await command(theirs)];
    assert.deepEqual(answer, expected, `command ${number}`);
    if (number % 50 === 0) ours = new CairnSession({ cairn: cairn(), sessionId });
  }
  assert.deepEqual(await ours.getItems(), await theirs.getItems());
});

test("an agent goes on where another process stopped, tools and all", async () => {
  const look = tool({
    name: "look",
    description: "Look at a row",
    parameters: z.object({ row: z.number() }),
    execute: async ({ row }) => `Row ${row} is ripe.`,
  });
  const sessionId = "agent";
  const first = new ScriptedModel([
    [functionCall("look", { row: 2 }, { callId: "c1" })],
    [assistantMessage("It is ripe.")],
  ]);
  const session = new CairnSession({ cairn: cairn(), sessionId });
  await runner.run(new Agent({ name: "Gardener", model: first, tools: [look] }), "Is row two ripe?", { session });

  const second = new ScriptedModel([[assistantMessage("Row two.")]]);
  const agent = new Agent({ name: "Gardener", model: second, tools: [look] });
  const later = new CairnSession({ cairn: cairn(), sessionId });
  const { finalOutput } = await runner.run(agent, "Which row was it?", { session: later });

  const kinds = (items: readonly AgentInputItem[]) => items.map((item) => item.type ?? "message");
  const asked = second.lastCall?.request.input as AgentInputItem[];
  assert.equal(finalOutput, "Row two.");
  assert.deepEqual(kinds(asked), ["message", "function_call", "function_call_result", "message", "message"]);
  assert.match(JSON.stringify(asked), /Row 2 is ripe/);
  assert.equal((await later.getItems()).length, 6);
});

test("a streamed run keeps the same items", async () => {
  const session = new CairnSession({ cairn: cairn() });
  const agent = new Agent({ name: "Gardener", model: new ScriptedModel([[assistantMessage("Hello, Ada.")]]) });

  const result = await runner.run(agent, "I am Ada.", { session, stream: true });
  await result.completed;

  assert.deepEqual(
    (await session.getItems()).map((item) => ("role" in item ? item.role : item.type)),
    ["user", "assistant"],
  );
});

test("a user corrects what they said: two items are taken back, and the next turn is kept", async () => {
  const session = new CairnSession({ cairn: cairn() });
  const agent = new Agent({
    name: "A",
    model: new ScriptedModel([[assistantMessage("Two.")], [assistantMessage("Four.")]]),
  });
  await runner.run(agent, "What is 1 + 1?", { session });
  await session.popItem();
  await session.popItem();

  await runner.run(agent, "What is 2 + 2?", { session });

  assert.match(JSON.stringify(await session.getItems()), /^(?!.*Two).*Four/);
  assert.equal((await session.getItems()).length, 2);
});

test("a session is its user's alone, and lists among their item logs", async () => {
  const sessionId = "shared name";
  await new CairnSession({ cairn: cairn(), sessionId }).addItems([{ role: "user", content: "Mine." }]);

  assert.deepEqual(await new CairnSession({ cairn: cairn(), sessionId, user: "ben" }).getItems(), []);
  const logs = await Array.fromAsync(cairn().itemLogs({ prefix: sessionId }));
  assert.deepEqual(
    logs.map((each) => each.count),
    [1],
  );
});
