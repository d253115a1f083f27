/** What memory says to a turn: asked once, however often the model is called for it. */

import type { Cairn, Scope } from "../cairn.js";
import { sha256 } from "../place.js";
import type { Turn } from "./prompt.js";

const MOST_KEPT = 64;

export interface Asking {
  readonly recallScope?: Scope | undefined;
  readonly maxInputTok?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Recalls for turns, and keeps what it found until the tools that a model called have answered. */
export class Recalled {
  readonly #kept = new Map<string, string>();

  /** Return what memory adds to the turn's prompt, with the policy by which it is data; "" where that is nothing. */
  async textOf(memory: Cairn, turn: Turn, { signal, ...asking }: Asking): Promise<string> {
    const said = turn.input.slice(0, turn.input.findLastIndex((item) => item.role === "user") + 1);
    if (said.length === 0) return "";
    const key = await sha256(JSON.stringify([memory.names(), turn.before, said]));
    const isContinued = said.length < turn.input.length;
    const kept = isContinued ? this.#kept.get(key) : undefined;
    if (kept !== undefined) return kept;
    const words = said.filter((item) => item.role === "user");
    const options = { ...asking, signal, conversationItems: turn.before, format: "text" } as const;
    const { text = "" } = await memory.beforeTurn(words, options);
    this.#keep(key, text);
    return text;
  }

  #keep(key: string, text: string): void {
    this.#kept.delete(key);
    this.#kept.set(key, text);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }
}
