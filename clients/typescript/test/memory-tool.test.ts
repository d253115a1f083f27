/** Claude's memory tool by the real runner of Anthropic's SDK, by the AI SDK, and beside the SDK's local one. */

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { anthropic } from "@ai-sdk/anthropic";
import Anthropic from "@anthropic-ai/sdk";
import type { MemoryToolHandlers } from "@anthropic-ai/sdk/helpers/beta/memory";
import { BetaLocalFilesystemMemoryTool } from "@anthropic-ai/sdk/tools/memory/node";
import { Conflict, type FileCommand, NotFound } from "@cairn/client";
import { memoryExecute } from "@cairn/client/ai";
import { memoryTool } from "@cairn/client/anthropic";
import { generateText, isStepCount } from "ai";
import { COMMANDS, chance, drawing } from "./support/chance.ts";
import { call, model, text } from "./support/model.ts";
import { Server, scripted } from "./support/server.ts";

let server: Server;
before(async () => {
  server = await Server.start();
});
after(() => server.stop());

const message = (content: object[], stop_reason: string) => ({
  body: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude",
    content,
    stop_reason,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
});
const use = (id: string, input: FileCommand) => message([{ type: "tool_use", id, name: "memory", input }], "tool_use");

test("Anthropic's runner has the model write and read files, and tells it what is refused", async (context) => {
  const path = "/memories/beans.md";
  const stub = await scripted([
    use("toolu_1", { command: "create", path, file_text: "Row four.\n" }),
    use("toolu_2", { command: "view", path }),
    use("toolu_3", { command: "create", path, file_text: "Row five.\n" }),
    message([{ type: "text", text: "Done." }], "end_turn"),
  ]);
  context.after(stub.close);
  const client = new Anthropic({ apiKey: "k", baseURL: stub.url });
  const tool = memoryTool({
    cairn: server.cairn({ user: "ada" }),
    definition: { cache_control: { type: "ephemeral" } },
  });

  const messages = [{ role: "user" as const, content: "Note the beans." }];
  await client.beta.messages.toolRunner({ model: "claude", max_tokens: 99, messages, tools: [tool] });

  const results = stub.asked.slice(1).map((each) => {
    const [block] = (each.body as { messages: { content: object[] }[] }).messages.at(-1)?.content ?? [];
    return block as { content: string; is_error?: boolean };
  });
  assert.deepEqual(
    results.map((result) => [result.content, result.is_error ?? false]),
    [
      [`File created successfully at: ${path}`, false],
      [`Here's the content of ${path} with line numbers:\n     1\tRow four.\n     2\t`, false],
      [`Error: File ${path} already exists`, true],
    ],
  );
  const [first] = stub.asked;
  const expected = { type: "memory_20250818", name: "memory", cache_control: { type: "ephemeral" } };
  assert.ok(first);
  assert.deepEqual((first.body as { tools: object[] }).tools, [expected]);
});

test("a call of the model that is run again is done once", async () => {
  const tool = memoryTool({ cairn: server.cairn({ user: "ben" }) });
  const command = { command: "create", path: "/memories/once.md", file_text: "Once.\n" } as const;
  const toolUse = { type: "tool_use", id: "toolu_9", name: "memory", input: command } as never;

  const [one, again] = [
    await tool.run(command, { toolUse, toolUseBlock: toolUse }),
    await tool.run(command, { toolUse, toolUseBlock: toolUse }),
  ];

  assert.equal(one, again);
  await assert.rejects(async () => tool.run(command), Conflict);
});

test("the AI SDK's memory tool keeps the same files", async () => {
  const cairn = server.cairn({ user: "cleo" });
  const tools = { memory: anthropic.tools.memory_20250818({ execute: memoryExecute({ cairn }) }) };
  const create = { command: "create", path: "/memories/a.md", file_text: "Peas.\n" };

  const { steps } = await generateText({
    model: model(
      [call("memory", create)],
      [call("memory", { command: "view", path: "/memories/none" }, "call-2")],
      [text("Done.")],
    ),
    tools,
    stopWhen: isStepCount(3),
    prompt: "Note it.",
  });

  assert.equal(steps[0]?.toolResults[0]?.output, "File created successfully at: /memories/a.md");
  const [error] = steps[1]?.content.filter((part) => part.type === "tool-error") ?? [];
  assert.match(String(error?.error), /The path \/memories\/none does not exist/);
  assert.match(await cairn.files().command({ command: "view", path: "/memories/a.md" }), /Peas/);
});

test("files are their user's, their session's or the project's, and a stale version is refused", async () => {
  const cairn = server.cairn({ user: "dan", session: "monday" });
  await cairn.files().command({ command: "create", path: "/memories/x.md", file_text: "1" });

  const view = { command: "view", path: "/memories/x.md" } as const;
  await assert.rejects(cairn.files({ whose: "session" }).command(view), NotFound);
  await assert.rejects(cairn.files({ whose: "project" }).command(view), NotFound);
  const change = { command: "str_replace", path: "/memories/x.md", old_str: "1", new_str: "2" } as const;
  await assert.rejects(cairn.files().command(change, { expectedVersion: 7 }), Conflict);
  await cairn.files().command(change, { expectedVersion: 1 });
  assert.match(await cairn.files().command(view), /\t2$/);
});

const PATHS = ["", "/a.md", "/b.md", "/dir", "/dir/c.md", "/dir/deep/d.md", "/dir/deep/er/e.md", "/ü.md"].map(
  (end) => `/memories${end}`,
);
const TEXTS = ["", "one\n", "one\ntwo\nthree\n", "no end", "one\none\n", "ü \u{1f331}\n\n\n"];

function drawnCommand(random: () => number): FileCommand {
  const pick = drawing(random);
  const [path, other] = [pick(...PATHS), pick(...PATHS)];
  return pick<FileCommand>(
    { command: "create", path, file_text: pick(...TEXTS) },
    { command: "create", path, file_text: pick(...TEXTS) },
    { command: "view", path },
    { command: "view", path, view_range: [pick(1, 2, 3), pick(-1, 2, 9)] },
    {
      command: "str_replace",
      path,
      old_str: pick("one", "two", "three", "absent"),
      new_str: pick("four", "", "one\n"),
    },
    { command: "delete", path },
    { command: "rename", old_path: path, new_path: other },
  );
}

/** What a command came to, without what the two kinds of the reference say differently themselves. */
async function outcome(doing: () => Promise<unknown>): Promise<string> {
  try {
    return String(await doing())
      .replace(" and node_modules:", ":")
      .replaceAll(/^\S+(?=\t\/memories(?:.*\/)?$)/gm, "a directory");
  } catch {
    return "refused";
  }
}

test("under random commands the tool does as the SDK's local one, and says the same of what was done", async (context) => {
  const directory = await mkdtemp(join(tmpdir(), "cairn-memory-tool-"));
  context.after(() => rm(directory, { recursive: true }));
  const theirs: MemoryToolHandlers = await BetaLocalFilesystemMemoryTool.init(directory);
  const ours = server.cairn({ user: "random" }).files();
  const random = chance(8);
  for (let number = 0; number < COMMANDS; number++) {
    const command = drawnCommand(random);
    const handler = theirs[command.command] as (given: FileCommand) => Promise<string>;
    const [one, other] = [
      await outcome(() => ours.command(command)),
      await outcome(() => handler.call(theirs, command)),
    ];
    assert.equal(one, other, `command ${number}: ${JSON.stringify(command)}`);
  }
});
