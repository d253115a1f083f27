/** Item logs of a memory: ordered items of any JSON, each stored once, as a program keeps them for itself. */

import type { CallOptions } from "./door.js";
import { InvalidArgument } from "./errors.js";
import { type Answer, type Arguments, given, type ToolName } from "./tools.js";

/** A value that JSON has. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** Calls a tool, and again what may succeed. */
export type Ask = <T extends ToolName>(tool: T, args: Arguments<T>, options?: CallOptions) => Promise<Answer<T>>;

/** Whose something is: a user's in a project, or the project's. */
export interface Owner {
  readonly project?: string;
  readonly user_id?: string;
}

/** An item of a log as it was appended; positions rise, with gaps. */
export interface LogItem<T = Json> {
  readonly position: number;
  readonly id: string;
  readonly at: Date;
  readonly data: T;
}

export interface Append extends CallOptions {
  /** An id for each item; without, the operation's names them. */
  readonly ids?: readonly string[] | undefined;
  /** Takes the place of the log's state. */
  readonly state?: Exclude<Json, null> | undefined;
  /** Only if the log has this revision now; 0: if there is none. */
  readonly expectedRevision?: number | undefined;
  /** With one of your own, the same call can be made again, even by another process. */
  readonly operationId?: string | undefined;
}

/** A log after an append: where each item is, and how many of them were there before. */
export interface Appended {
  readonly revision: number;
  readonly count: number;
  readonly positions: readonly number[];
  readonly replayed: number;
}

export interface Read extends CallOptions {
  /** The most items; all, unless told. */
  readonly limit?: number | undefined;
  /** The items after this position, from there on. */
  readonly after?: number | undefined;
  /** The newest items before this position. */
  readonly before?: number | undefined;
}

/** Items of a log, the oldest first; a log that is not there has revision 0. */
export interface ItemsRead<T = Json> {
  readonly items: ReadonlyArray<LogItem<T>>;
  readonly revision: number;
  readonly count: number;
  readonly state: Json;
  readonly more: boolean;
}

export interface TakeBack extends CallOptions {
  readonly expectedRevision?: number | undefined;
  readonly operationId?: string | undefined;
}

/** The items that were taken back, the oldest first; `repeated`: the same operation did it before. */
export interface TakenBack<T = Json> {
  readonly items: ReadonlyArray<LogItem<T>>;
  readonly revision: number;
  readonly repeated: boolean;
}

/** A log without its items. */
export interface ItemLogSummary {
  readonly log: string;
  readonly revision: number;
  readonly count: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly state: Json;
}

const MOST_AT_ONCE = 64;
/** Of the items of one call, as JSON: a server takes requests of 2 MB unless it is told otherwise. */
const MOST_BYTES = 1_500_000;
const PAGE = 1000;

/** One item log. What fails for a while is tried again under the same ids: a lost answer changes nothing twice. */
export class ItemLog<T = Json> {
  readonly name: string;
  readonly #ask: Ask;
  readonly #named: Owner & { log: string };

  /** `Cairn.items` makes this. */
  constructor(ask: Ask, owner: Owner, name: string) {
    this.name = name;
    this.#ask = ask;
    this.#named = { ...owner, log: name };
  }

  /**
   * Append items in their order.
   *
   * An item whose id the log has seen is not stored again; with other data it is a Conflict, as is another revision
   * than the one expected. Up to 64 items, and 1.5 MB, are stored all or none; more go in several such steps.
   */
  async append(items: readonly T[], options: Append = {}): Promise<Appended> {
    const { ids, state, expectedRevision, operationId = crypto.randomUUID() } = options;
    if (ids && ids.length !== items.length) throw InvalidArgument.of("ids", "must name each item once");
    const named = items.map((data, place) => ({ id: ids?.[place] ?? `${operationId}:${place}`, data }));
    const steps = stepsOf(named, MOST_AT_ONCE, MOST_BYTES);
    let done: Appended = { revision: 0, count: 0, positions: [], replayed: 0 };
    for (const [number, step] of steps.entries()) {
      const answer = await this.#call("memory_append_items", options, {
        items: step,
        operation_id: operationId,
        ...(number === steps.length - 1 && given({ state })),
        ...(number === 0 && given({ expected_revision: expectedRevision })),
      });
      const positions = [...done.positions, ...answer.positions];
      done = { ...answer, positions, replayed: done.replayed + answer.replayed };
    }
    return done;
  }

  /** Return the newest items, those after a position, or the newest before one; all of them without a limit. */
  async read(options: Read = {}): Promise<ItemsRead<T>> {
    const { limit = Number.POSITIVE_INFINITY, after, before } = options;
    if (!(limit >= 1)) throw InvalidArgument.of("limit", "must be at least 1");
    const page = (most: number, from: object) =>
      this.#call("memory_read_items", options, { limit: Math.min(most, PAGE), ...from });
    const first = await page(limit, after !== undefined ? { after } : before !== undefined ? { before } : {});
    let answer = first;
    let items = first.items;
    while (answer.more && items.length < limit) {
      const from = after === undefined ? { before: items[0]?.position } : { after: items.at(-1)?.position };
      answer = await page(limit - items.length, from);
      items = after === undefined ? [...answer.items, ...items] : [...items, ...answer.items];
    }
    const { revision, count, state } = first;
    return { items: items.map(itemOf<T>), revision, count, state: (state ?? null) as Json, more: answer.more };
  }

  /** Take back up to so many of the newest items, 64 at most, and return them; of an empty log, none. */
  async takeBack(count = 1, options: TakeBack = {}): Promise<TakenBack<T>> {
    const { expectedRevision, operationId = crypto.randomUUID() } = options;
    const asked = { count, operation_id: operationId, ...given({ expected_revision: expectedRevision }) };
    const { items, revision, repeated } = await this.#call("memory_take_back_items", options, asked);
    return { items: items.map(itemOf<T>), revision, repeated };
  }

  /** Delete items by their ids, or the whole log, and return how many are gone; what is not there counts as deleted. */
  async delete(ids?: readonly string[], options: CallOptions = {}): Promise<number> {
    if (ids === undefined) return (await this.#call("memory_delete_items", options, {})).deleted;
    let deleted = 0;
    for (let start = 0; start < ids.length; start += MOST_AT_ONCE) {
      const some = ids.slice(start, start + MOST_AT_ONCE);
      deleted += (await this.#call("memory_delete_items", options, { ids: some })).deleted;
    }
    return deleted;
  }

  #call<N extends ToolName>(tool: N, options: CallOptions, args: object): Promise<Answer<N>> {
    return this.#ask(tool, { ...this.#named, ...args } as unknown as Arguments<N>, options);
  }
}

function itemOf<T>(line: Answer<"memory_read_items">["items"][number]): LogItem<T> {
  return { position: line.position, id: line.id, at: new Date(line.at), data: line.data as T };
}

/** Return what each call takes, so many items and so many bytes of JSON at most; at least one call of nothing. */
export function stepsOf<T>(items: readonly T[], mostItems: number, mostBytes: number): T[][] {
  const steps: T[][] = [[]];
  let size = 0;
  for (const item of items) {
    const more = new TextEncoder().encode(JSON.stringify(item)).length;
    const step = steps.at(-1);
    if (step && (step.length === 0 || (step.length < mostItems && size + more <= mostBytes))) {
      step.push(item);
      size += more;
    } else {
      steps.push([item]);
      size = more;
    }
  }
  return steps;
}
