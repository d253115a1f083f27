/** The client against a real server: each verb, whose memory it is about, and what goes wrong. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inspect } from "node:util";
import { Cairn, Conflict, InvalidArgument, NotFound, Unauthenticated, Unavailable, VERSION } from "@cairn/client";
import manifest from "../package.json" with { type: "json" };
import { Server } from "./support/server.ts";

let server: Server;
before(async () => {
  server = await Server.start();
});
after(() => server.stop());

test("what was said is found, by its words, with who said it and where", async () => {
  const cairn = server.cairn({ user: "ada", session: "monday" });
  const talk = [
    { role: "user", content: "I moved to Oslo and took up rowing." },
    { role: "assistant", content: "Enjoy the fjord!" },
  ];

  const stored = await cairn.add(talk, { turnId: "turn-1" });
  const hits = await cairn.search("rowing", { type: "turn" });

  assert.deepEqual([stored.items, stored.replayed, stored.session], [2, false, "monday"]);
  const [hit] = hits.found;
  assert.equal(hit?.content, "I moved to Oslo and took up rowing.");
  assert.deepEqual([hit?.who, hit?.kind, hit?.session, hit?.turnId], ["user", "turn", "monday", "turn-1"]);
  assert.ok(hit && hit.when instanceof Date && Math.abs(Date.now() - hit.when.getTime()) < 600_000);
  assert.ok(hits.searched > 0 && hits.says !== "" && hits.likelihood !== undefined);
});

test("a turn that is stored again under its id is stored once, and another under that id is refused", async () => {
  const cairn = server.cairn({ user: "ben", session: "tuesday" });

  const first = await cairn.afterTurn("I keep bees.", "Lovely.", { turnId: "turn-1" });
  const again = await cairn.afterTurn("I keep bees.", "Lovely.", { turnId: "turn-1" });

  assert.deepEqual([first.replayed, again.replayed], [false, true]);
  assert.equal((await cairn.history()).length, 2);
  await assert.rejects(cairn.afterTurn("I keep cats.", "Lovely.", { turnId: "turn-1" }), Conflict);
});

test("a turn is prepared with what another session knows of the user", async () => {
  const cairn = server.cairn({ user: "cleo" });
  await cairn.add("My dog is called Rex.", { session: "first" });

  const prepared = await cairn.beforeTurn("What is my dog called?", { session: "second", format: "chat" });

  assert.equal(prepared.session, "second");
  assert.deepEqual(prepared.inputItems.at(-1), { role: "user", content: "What is my dog called?" });
  assert.match(JSON.stringify(prepared.inputItems), /Rex/);
  assert.ok(prepared.tokens > 0 && prepared.factIds.length > 0);
});

test("what is remembered is found until it is forgotten", async () => {
  const cairn = server.cairn({ user: "dan" });

  const kept = await cairn.remember("The north bed gets four hours of sun.", { type: "decision" });
  const found = await cairn.search("north bed", { type: "decision" });
  const gone = await cairn.forget(kept.id, { reason: "A tree was felled." });

  assert.equal(kept.message, "Remembered as decision.");
  assert.deepEqual(
    found.found.map((hit) => [hit.id, hit.kind]),
    [[kept.id, "memory"]],
  );
  assert.equal(gone.id, kept.id);
  assert.equal((await cairn.search("north bed")).found.length, 0);
  await assert.rejects(cairn.forget("nothing"), NotFound);
});

test("a conversation is read back in its order, whole or its newest items", async () => {
  const cairn = server.cairn({ user: "eva", session: "long" });
  for (let number = 0; number < 5; number++) {
    await cairn.afterTurn(`Question ${number}`, `Answer ${number}`, { turnId: `turn-${number}` });
  }

  const all = await cairn.history();
  const newest = await cairn.history({ limit: 3 });

  const expected = [0, 1, 2, 3, 4].flatMap((number) => [`Question ${number}`, `Answer ${number}`]);
  assert.deepEqual(
    all.map((said) => said.content),
    expected,
  );
  assert.deepEqual(
    newest.map((said) => [said.who, said.content, said.turnId]),
    [
      ["assistant", "Answer 3", "turn-3"],
      ["user", "Question 4", "turn-4"],
      ["assistant", "Answer 4", "turn-4"],
    ],
  );
  assert.deepEqual(await cairn.history({ session: "never" }), []);
  await assert.rejects(cairn.history({ limit: 0 }), InvalidArgument);
});

test("more than a page of a conversation is read back whole", async () => {
  const cairn = server.cairn({ user: "fay", session: "very long" });
  for (let number = 0; number < 3; number++) {
    const items = Array.from({ length: 100 }, (_, place) => ({
      role: "user",
      content: `Line ${number * 100 + place}`,
    }));
    await cairn.afterTurn(items, "Noted.");
  }

  const said = await cairn.history();

  assert.equal(said.length, 303);
  assert.equal(said[0]?.content, "Line 0");
  assert.equal(new Set(said.map((each) => each.id)).size, 303);
});

test("users do not find each other's words, and a client has a session of its own with each", async () => {
  const cairn = server.cairn();

  const one = await cairn.add("I grow plums.", { user: "gus" });
  const other = await cairn.add("I grow leeks.", { user: "hal" });

  assert.notEqual(one.session, other.session);
  assert.deepEqual(
    (await cairn.history({ user: "gus" })).map((said) => said.content),
    ["I grow plums."],
  );
  assert.equal((await cairn.search("plums", { user: "hal", type: "turn" })).found[0]?.content, undefined);
  assert.equal((await cairn.at({ user: "gus" }).search("plums", { type: "turn" })).found.length, 1);
});

test("a call about nobody is refused before it is made, unless the key is somebody's", async () => {
  await assert.rejects(server.cairn().search("plums"), (error: unknown) => {
    assert.ok(error instanceof InvalidArgument);
    assert.deepEqual(Object.keys(error.details.fields as object), ["user"]);
    return true;
  });
  const own = new Cairn({ url: server.url, key: server.keyOf("ida") });
  await own.add("I grow figs.");
  assert.equal((await own.search("figs", { type: "turn" })).found.length, 1);
});

test("any tool can be called by its name", async () => {
  const { sessions } = await server.cairn({ user: "ada" }).call("memory_list_sessions", { project: "garden" });

  assert.ok(sessions.some((session) => session.session_id === "monday"));
});

test("wrong input names its field, and a wrong key is told from a server that is not there", async () => {
  const cairn = server.cairn({ user: "ada" });
  await assert.rejects(cairn.remember("x", { confidence: "certain" as "high" }), (error: unknown) => {
    assert.ok(error instanceof InvalidArgument && "confidence" in (error.details.fields as object));
    return true;
  });
  const wrong = new Cairn({ url: server.url, key: "cairn_wrong", user: "ada" });
  await assert.rejects(wrong.search("x"), Unauthenticated);
  const gone = new Cairn({ url: "http://127.0.0.1:9", key: server.key, user: "ada" });
  await assert.rejects(gone.call("recall", { limit: 1 }, { signal: AbortSignal.timeout(50) }), {
    name: "TimeoutError",
  });
});

test("neither the client nor its errors show the key", async () => {
  const secret = "cairn_very-secret";
  const cairn = new Cairn({ url: server.url, key: secret, user: "ada" });
  const error = await cairn.search("x").catch((caught: unknown) => caught);
  const shown = [inspect(cairn, { depth: 9, showHidden: true }), JSON.stringify(cairn), `${cairn}`, inspect(error)];

  assert.equal(shown.join("\n").includes("secret"), false);
});

test("addresses are taken with the path of an endpoint, and what is no address or key is refused", () => {
  const at = (url: string, key = "k") => new Cairn({ url, key }).where;

  assert.equal(at("https://example.com/mcp/"), "https://example.com");
  assert.equal(at("https://example.com/stage/v1/tools"), "https://example.com/stage");
  for (const url of ["example.com", "ftp://example.com", "https://ada:x@example.com", "https://example.com?x=1", ""]) {
    assert.throws(() => at(url), InvalidArgument);
  }
  for (const key of ["", "two words", "ключ"]) assert.throws(() => at("https://example.com", key), InvalidArgument);
});

test("the package says its version", () => {
  assert.equal(VERSION, manifest.version);
  assert.ok(new Unavailable("gone").retryable);
});
