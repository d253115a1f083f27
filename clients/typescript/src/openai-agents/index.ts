/** A session of the OpenAI Agents SDK that lasts: its items are an item log. */

import type { AgentInputItem, Session } from "@openai/agents";
import type { Cairn } from "../cairn.js";
import type { ItemLog } from "../items.js";
import { packed, unpacked } from "../packing.js";
import type { Names } from "../place.js";

export interface SessionOptions extends Pick<Names, "user" | "project"> {
  readonly cairn: Cairn;
  /** The name of the item log; random, unless told. */
  readonly sessionId?: string | undefined;
}

/**
 * Keeps a conversation's items as they are, in their order.
 *
 * Up to 64 items that are added together, and 1.5 MB, are stored all or none. An item that was taken back is on record.
 */
export class CairnSession implements Session {
  readonly #log: ItemLog;

  constructor({ cairn, sessionId = crypto.randomUUID(), user, project }: SessionOptions) {
    this.#log = cairn.items(sessionId, { user, project });
  }

  async getSessionId(): Promise<string> {
    return this.#log.name;
  }

  async getItems(limit?: number): Promise<AgentInputItem[]> {
    if (limit !== undefined && limit <= 0) return [];
    const { items } = await this.#log.read({ limit });
    return items.map(({ data }) => unpacked(data) as AgentInputItem);
  }

  async addItems(items: AgentInputItem[]): Promise<void> {
    if (items.length > 0) await this.#log.append(items.map(packed));
  }

  async popItem(): Promise<AgentInputItem | undefined> {
    const [taken] = (await this.#log.takeBack()).items;
    return taken && (unpacked(taken.data) as AgentInputItem);
  }

  async clearSession(): Promise<void> {
    await this.#log.delete();
  }
}
