/** Item logs and documents of a real server, as programs keep them. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Cairn, Conflict, InvalidArgument, type Json } from "@cairn/client";
import { packed, unpacked } from "../dist/packing.js";
import { Server } from "./support/server.ts";

let server: Server;
before(async () => {
  server = await Server.start();
});
after(() => server.stop());

test("items are read back in their order, from their end, from a place and before one", async () => {
  const log = server.cairn({ user: "ada" }).items<{ number: number }>("thread");
  const { positions } = await log.append(Array.from({ length: 1_100 }, (_, number) => ({ number })));

  const numbers = async (read: object) => (await log.read(read)).items.map((item) => item.data.number);

  assert.equal(positions.length, 1_100);
  assert.deepEqual(
    await numbers({}),
    Array.from({ length: 1_100 }, (_, number) => number),
  );
  assert.equal((await numbers({ after: -1 })).length, 1_100);
  assert.deepEqual(await numbers({ limit: 2 }), [1_098, 1_099]);
  assert.deepEqual(await numbers({ after: positions[1_096] }), [1_097, 1_098, 1_099]);
  assert.deepEqual(await numbers({ before: positions[2], limit: 9 }), [0, 1]);
  await assert.rejects(log.read({ limit: 0 }), InvalidArgument);
});

test("what is appended again under its id is there once, with another text it is refused, as is a stale revision", async () => {
  const log = server.cairn({ user: "ada" }).items("replays");
  const first = await log.append(["one", "two"], { ids: ["1", "2"], state: { step: 1 } });
  const again = await log.append(["one", "two"], { ids: ["1", "2"] });

  assert.equal(again.replayed, 2);
  await assert.rejects(log.append(["other"], { ids: ["1"] }), Conflict);
  await assert.rejects(log.append(["three"], { expectedRevision: first.revision - 1 }), Conflict);
  await log.append(["three"], { expectedRevision: first.revision });
  const read = await log.read();
  assert.deepEqual([read.count, read.state], [3, { step: 1 }]);
});

test("the newest items are taken back once for each operation", async () => {
  const log = server.cairn({ user: "ada" }).items("taken");
  await log.append(["one", "two", "three"]);

  const taken = await log.takeBack(2, { operationId: "undo" });
  const again = await log.takeBack(2, { operationId: "undo" });

  assert.deepEqual(
    taken.items.map((item) => item.data),
    ["two", "three"],
  );
  assert.deepEqual([again.repeated, again.items], [true, taken.items]);
  assert.equal((await log.read()).count, 1);
});

test("items and logs are deleted, and logs are listed for their user alone", async () => {
  const cairn = server.cairn({ user: "eve", session: "ignored" });
  for (const name of ["a-1", "a-2", "b-1"])
    await cairn.items(name).append(["x", "y"], { ids: ["1", "2"], state: name });

  const names = async (prefix?: string) =>
    (await Array.fromAsync(cairn.itemLogs({ prefix }))).map((log) => [log.log, log.state]);

  assert.deepEqual(await names("a-"), [
    ["a-1", "a-1"],
    ["a-2", "a-2"],
  ]);
  assert.equal(await cairn.items("a-1").delete(["1"]), 1);
  assert.equal((await cairn.items("a-1").read()).count, 1);
  await cairn.items("a-2").delete();
  assert.equal((await names()).length, 2);
  assert.deepEqual(await Array.fromAsync(server.cairn({ user: "other" }).itemLogs()), []);
});

test("an append and a taking back whose answers were lost are done once", async () => {
  let calls = 0;
  const losing: typeof fetch = async (...request) => {
    const answer = await fetch(...request);
    if (calls++ % 2 === 0) throw new TypeError("the connection broke");
    return answer;
  };
  const log = new Cairn({ url: server.url, key: server.key, fetch: losing, user: "ada", project: "garden" }).items(
    "lost",
  );

  await log.append(["one", "two"]);
  const taken = await log.takeBack();

  assert.deepEqual([taken.items[0]?.data, taken.repeated], ["two", true]);
  assert.equal((await log.read()).count, 1);
});

test("documents are stored, found by words and fields, listed and deleted", async () => {
  const notes = server.cairn({ user: "ada" }).documents();
  const version = await notes.put(["notes", "beds"], "north", { text: "Four hours of sun.", rows: 4 });
  await notes.put(["notes", "paths"], "main", { text: "Gravel.", rows: 0 }, { index: false });

  const found = await notes.search(["notes"], { query: "How much sun is there?", filter: { rows: { $gt: 2 } } });

  assert.deepEqual(
    found.map((each) => [each.key, each.version === version, typeof each.score]),
    [["north", true, "number"]],
  );
  assert.equal((await notes.search(["notes"])).length, 2);
  assert.deepEqual(await notes.collections(), [
    ["notes", "beds"],
    ["notes", "paths"],
  ]);
  await assert.rejects(notes.put(["notes", "beds"], "north", {}, { ifVersion: version - 1 }), Conflict);
  await notes.delete(["notes", "beds"], "north", { ifVersion: version });
  assert.equal(await notes.get(["notes", "beds"], "north"), undefined);
});

test("more documents than a call takes are read, and a failed change leaves all as it was", async () => {
  const many = server.cairn({ user: "ben" }).documents();
  const names = Array.from({ length: 120 }, (_, number) => ({ collection: ["many"], key: `${number}` }));
  for (let start = 0; start < 120; start += 40) {
    await many.putAll(names.slice(start, start + 40).map((name) => ({ ...name, value: name.key })));
  }
  const changes = [
    { collection: ["many"], key: "0", value: "changed" },
    { collection: ["many"], key: "1", value: "x", ifVersion: 0 },
  ];
  await assert.rejects(many.putAll(changes), Conflict);

  const read = await many.getAll([...names, { collection: ["many"], key: "none" }]);

  assert.deepEqual(
    read.map((each) => each?.value),
    [...names.map((name) => name.key), undefined],
  );
  assert.equal((await many.search(["many"], { limit: 500 })).length, 120);
});

test("bytes, and texts that no server keeps, come back as they were, and what looks like them too", () => {
  const [bytes, text] = ["@cairn/bytes", "@cairn/text"];
  const values = [
    new Uint8Array([0, 255, 7]),
    { image: { data: new Uint8Array(70_000).fill(9) }, list: [1, null, new Uint8Array()] },
    { [bytes]: "AA==" },
    { [bytes]: { [bytes]: [new Uint8Array([1])] } },
    { [bytes]: null, more: 1 },
    { [bytes]: null },
    { [text]: '"x"' },
    { [text]: { [bytes]: "NUL \u0000" } },
    ["\u0000", "lone \ud800 surrogate", { "key \u0000": { deep: "\u0000", [text]: [] } }],
  ];
  for (const value of values) {
    const kept = JSON.stringify(packed(value));
    assert.doesNotMatch(kept.replaceAll("\\\\", ""), /\\u0000|\\ud800/);
    assert.deepEqual(unpacked(JSON.parse(kept) as Json), value);
  }
  assert.deepEqual(packed({ kept: 1, gone: undefined }), { kept: 1 });
});
