/** What is tried again, how often and when, and what ends it; by a clock that stands still. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import {
  Cairn,
  CairnError,
  type Calls,
  type Clock,
  CorruptData,
  InternalError,
  KeyUnusable,
  NotFound,
  PermissionDenied,
  RateLimited,
  ResourceBusy,
  Retries,
  Unavailable,
} from "@cairn/client";
import { scripted } from "./support/server.ts";

/** Waits no time, and says how long it was to wait. */
class Waits implements Clock {
  time = 0;
  readonly waits: number[] = [];

  now(): number {
    return this.time;
  }

  async sleep(ms: number): Promise<void> {
    this.waits.push(ms);
    this.time += ms;
  }
}

function failing(...errors: readonly Error[]): Calls & { calls: unknown[] } {
  const calls: unknown[] = [];
  return {
    calls,
    async call(_tool, args) {
      calls.push(args);
      const error = errors[calls.length - 1];
      if (error) throw error;
      return "done";
    },
  };
}

const busy = () => new ResourceBusy("busy");

test("what may work is tried again with the same arguments, after waits that double", async () => {
  const door = failing(busy(), new Unavailable("gone"), new InternalError("odd"));
  const clock = new Waits();
  const args = { turn_id: "one" };

  assert.equal(await new Retries(door, clock, () => 1).call("x", args), "done");

  assert.deepEqual(clock.waits, [100, 200, 400]);
  assert.deepEqual(door.calls, [args, args, args, args]);
});

test("after six calls the last error is the answer", async () => {
  const door = failing(...Array.from({ length: 9 }, busy));

  await assert.rejects(new Retries(door, new Waits(), () => 0).call("x", {}), ResourceBusy);

  assert.equal(door.calls.length, 6);
});

test("a server that says when to come again is believed, but for more than half a minute", async () => {
  const clock = new Waits();
  const soon = failing(new RateLimited("slow", { retry_after_ms: 29_000 }));
  await new Retries(soon, clock).call("x", {});
  const late = failing(new RateLimited("slow", { retry_after_ms: 31_000 }));
  await assert.rejects(new Retries(late, clock).call("x", {}), RateLimited);

  assert.deepEqual(clock.waits, [29_000]);
  assert.equal(late.calls.length, 1);
});

test("what no second try helps is not tried again", async () => {
  const errors = [
    new NotFound("no"),
    new PermissionDenied("no"),
    new KeyUnusable("no"),
    new CorruptData("no"),
    new Error(),
  ];
  for (const error of errors) {
    const door = failing(error);
    await assert.rejects(new Retries(door, new Waits()).call("x", {}), error);
    assert.equal(door.calls.length, 1);
  }
});

test("a caller who waits no longer ends the waiting, with its own reason", async () => {
  const gone = new AbortController();
  const door = failing(new RateLimited("slow", { retry_after_ms: 20_000 }));
  const calling = new Retries(door).call("x", {}, { signal: gone.signal });
  queueMicrotask(() => gone.abort(new Error("enough")));

  await assert.rejects(calling, { message: "enough" });
  await assert.rejects(new Retries(failing(busy())).call("x", {}, { signal: AbortSignal.abort() }), {
    name: "AbortError",
  });
});

test("a turn whose answer was lost is sent again under the id that was drawn for it", async (context) => {
  const stored = { events_written: 2, facts_written: 0, facts_superseded: 0, replayed: true };
  const server = await scripted([{ status: 502, body: "<html>" }, { body: stored }]);
  context.after(server.close);
  const cairn = new Cairn({ url: server.url, key: "k", user: "ada" });

  const { turnId, replayed } = await cairn.afterTurn("Hello", "Hi");

  const sent = server.asked.map((each) => (each.body as { turn_id: string }).turn_id);
  assert.deepEqual(sent, [turnId, turnId]);
  assert.ok(replayed);
  assert.equal(server.asked[0]?.path, "/v1/tools/memory_after_turn");
  assert.equal(server.asked[0]?.headers.authorization, "Bearer k");
});

test("errors are told by their code, by their status, and by Retry-After", async (context) => {
  const envelope = (code: string, details = {}) => ({ type: "error", error: { code, message: "told", details } });
  const answers = [
    { status: 500, body: envelope("INTERNAL_ERROR", { reason: "damaged" }), is: CorruptData },
    { status: 503, body: envelope("UNAVAILABLE", { reason: "Disabled" }), is: KeyUnusable },
    { status: 400, body: envelope("SOMETHING_NEW"), is: InternalError },
    { status: 429, headers: { "retry-after": "40" }, body: "slow down", is: RateLimited },
    { status: 403, body: "<html>", is: PermissionDenied },
    { status: 404, body: "{}", is: NotFound },
    { status: 200, body: "<html>", is: Unavailable },
  ];
  for (const { is, ...answer } of answers) {
    const server = await scripted([answer]);
    context.after(server.close);
    const error = await called(server.url).catch((caught: unknown) => caught);
    assert.ok(error instanceof CairnError);
    assert.equal(error.constructor, is);
    if (is === RateLimited) assert.equal(error.details.retry_after_ms, 40_000);
  }
});

test("the key goes to no other address: a redirect is no answer", async (context) => {
  const other = await scripted([{ body: {} }]);
  const server = await scripted([{ status: 307, headers: { location: `${other.url}/v1/tools/recall` }, body: "" }]);
  context.after(other.close);
  context.after(server.close);

  await assert.rejects(called(server.url), Unavailable);

  assert.deepEqual(other.asked, []);
});

test("a server that does not answer in time is unavailable", async (context) => {
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  await once(silent, "listening");
  context.after(() => {
    silent.closeAllConnections();
    silent.close();
  });

  await assert.rejects(called(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`, 1), /TimeoutError/);
});

/** Call once, without retries. */
async function called(url: string, timeoutMs = 10_000): Promise<unknown> {
  const { Door } = await import("../dist/door.js");
  return new Door(url, "k").call("recall", {}, { timeoutMs });
}
