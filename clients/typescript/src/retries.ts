/** Call again what failed for a while, with the same arguments, so that what was done after all is not done twice. */

import type { CallOptions } from "./door.js";
import { CairnError } from "./errors.js";

/** Calls a tool once. */
export interface Calls {
  call(tool: string, args: unknown, options?: CallOptions): Promise<unknown>;
}

/** What waiting goes by. */
export interface Clock {
  /** Milliseconds since any fixed time. */
  now(): number;
  /** Wait, or reject with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

const FIRST_MS = 100;
const LONGEST_MS = 5_000;
/** How long calls are repeated before the last error is the answer. */
const MOST_MS = 30_000;
const MOST_CALLS = 6;

/** Repeats calls that fail with an error that says it is retryable. */
export class Retries implements Calls {
  readonly #door: Calls;
  readonly #clock: Clock;
  readonly #spread: () => number;

  /** `spread`, from 0 to 1, keeps many callers from coming at once. */
  constructor(door: Calls, clock: Clock = systemClock, spread: () => number = Math.random) {
    this.#door = door;
    this.#clock = clock;
    this.#spread = spread;
  }

  /**
   * Return the tool's answer, or throw the last error after six calls, or where waiting would take too long.
   *
   * A server that says when to come again is believed.
   */
  async call(tool: string, args: unknown, options: CallOptions = {}): Promise<unknown> {
    const began = this.#clock.now();
    for (let number = 0; ; number++) {
      try {
        return await this.#door.call(tool, args, options);
      } catch (error) {
        const wait = this.#wait(error, number);
        if (wait === undefined || this.#clock.now() - began + wait > MOST_MS) throw error;
        await this.#clock.sleep(wait, options.signal);
      }
    }
  }

  /** Return after how many milliseconds to try again, undefined for not at all. */
  #wait(error: unknown, number: number): number | undefined {
    if (!(error instanceof CairnError) || !error.retryable || number === MOST_CALLS - 1) return undefined;
    const asked = error.details.retry_after_ms;
    if (typeof asked === "number") return asked;
    return (Math.min(FIRST_MS * 2 ** number, LONGEST_MS) * (1 + this.#spread())) / 2;
  }
}

const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(done, ms);
      signal?.addEventListener("abort", ended);
      if (signal?.aborted) ended();
      function done() {
        signal?.removeEventListener("abort", ended);
        resolve();
      }
      function ended() {
        clearTimeout(timer);
        signal?.removeEventListener("abort", ended);
        reject(signal?.reason);
      }
    }),
};
