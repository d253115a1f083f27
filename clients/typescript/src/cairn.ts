/** Memory for an agent, of a server, in five lines. */

import type { Forgotten, Hits, Prepared, Remembered, Said, Stored } from "./answers.js";
import * as answers from "./answers.js";
import { said } from "./conversation.js";
import { Documents } from "./documents.js";
import { type CallOptions, Door, type Fetch } from "./door.js";
import { InvalidArgument } from "./errors.js";
import { type FileNames, Files } from "./files.js";
import { ItemLog, type ItemLogSummary, type Json, type Owner } from "./items.js";
import { listed, type Message, type Messages, parted } from "./messages.js";
import { type Names, Place } from "./place.js";
import { type Calls, Retries } from "./retries.js";
import { type Answer, type Arguments, given, type ToolName } from "./tools.js";

/** Where the server is, and whose memory calls are about that do not say so themselves. */
export interface CairnOptions extends Names {
  /** The address of a server, such as https://memory.example.com. */
  readonly url: string;
  /** Its API key. */
  readonly key: string;
  /** What sends requests, where it is not the runtime's own `fetch`. */
  readonly fetch?: Fetch;
}

/** A way to a memory's tools that is there already. */
export interface Through extends Names {
  readonly calls: Calls;
  /** What is behind it, as its owner named it, without any key. */
  readonly where: string;
}

/** What a call may say beside its subject: whose memory it is about, and how it goes. */
export type Call = Names & CallOptions;

/** How far memory reaches: one session, all sessions of one user, or everyone's in the project. */
export type Scope = "session" | "user" | "project";

/** What a search is limited to. */
export interface Search extends Call {
  readonly limit?: number | undefined;
  /** Go on here: the cursor of the answer before. */
  readonly cursor?: number | undefined;
  /** What `remember` was given, or `turn` for what was said. */
  readonly type?: Arguments<"recall">["type"] | undefined;
  /** From 0 to 1. */
  readonly minConfidence?: number | undefined;
  /** Ask what was believed then. */
  readonly asOf?: Date | string | undefined;
  readonly includeSuperseded?: boolean | undefined;
  readonly searchMode?: Arguments<"recall">["search_mode"] | undefined;
  readonly recallScope?: Scope | undefined;
}

export interface BeforeTurn extends Call {
  readonly baseInstructions?: string | undefined;
  /** The conversation so far, if you keep it; otherwise this session's newest turns are. */
  readonly conversationItems?: readonly Message[] | undefined;
  readonly maxInputTok?: number | undefined;
  readonly recallScope?: Scope | undefined;
  /** How your model's API has its messages; text is one plain text for a prompt. */
  readonly format?: Arguments<"memory_before_turn">["format"] | undefined;
}

export interface AfterTurn extends Call {
  /** With one of your own, storing the same again stores nothing twice, even from another process. */
  readonly turnId?: string | undefined;
  readonly conversationItems?: readonly Message[] | undefined;
  /** Facts that the model learnt; those that the user's own words do not support are refused. */
  readonly learned?: Arguments<"memory_after_turn">["learned"] | undefined;
}

export interface Remember extends Call {
  readonly type?: Arguments<"remember">["type"] | undefined;
  readonly confidence?: Arguments<"remember">["confidence"] | undefined;
  readonly rationale?: string | undefined;
  /** Who finds it: everyone in the project, the user in every project, the user, or the session alone. */
  readonly scope?: Arguments<"remember">["scope"] | undefined;
}

export interface Forget extends Call {
  /** Why; it stays on record. */
  readonly reason?: string | undefined;
  /** The memory that holds instead. */
  readonly replacementId?: string | undefined;
}

/**
 * What an agent remembers of its users.
 *
 * Whom a call is about stands in the call or here: a user, a session and a project. What is kept for a user, every
 * session of theirs finds in the project. A session is one conversation; where none is named, this object has one with
 * each user. What fails for a while is tried again, up to six times in 30 seconds, under the same ids.
 */
export class Cairn {
  readonly #calls: Calls;
  readonly #place: Place;
  readonly #where: string;
  #knowsUser: Promise<boolean> | undefined;

  /** Reach a server, InvalidArgument where the URL or the key is wrong; or call through what reaches one already. */
  constructor(options: CairnOptions | Through, place = new Place(options)) {
    const { calls, where } = "calls" in options ? options : remote(options);
    this.#calls = calls;
    this.#where = where;
    this.#place = place;
  }

  /** The server's address. */
  get where(): string {
    return this.#where;
  }

  /** Return the same memory for calls about another user, session or project; what is left out stays as it is. */
  at(names: Names): Cairn {
    return new Cairn({ calls: this.#calls, where: this.#where }, this.#place.named(names));
  }

  /** Return whose memory this is, as tools take it. */
  names(): { project?: string; user_id?: string; session_id?: string } {
    return this.#place.arguments();
  }

  /** Call any tool by its name, again where that may help; typed errors say what went wrong. */
  async call<T extends ToolName>(tool: T, args: Arguments<T>, options?: CallOptions): Promise<Answer<T>> {
    return (await this.#calls.call(tool, args, options)) as Answer<T>;
  }

  /** Keep what was said, and learn the facts in it. */
  async add(messages: Messages, options: AfterTurn = {}): Promise<Stored> {
    const [input, output] = parted(listed("messages", messages));
    return this.afterTurn(input, output, options);
  }

  /**
   * Find what was said, remembered and learnt, by words and meaning, the best first.
   *
   * Without a query come the newest memories and facts: all that is known.
   */
  async search(query?: string, options: Search = {}): Promise<Hits> {
    const { limit = 10, cursor = 0, type, asOf } = options;
    const chosen = given({
      type,
      min_confidence: options.minConfidence,
      as_of: asOf instanceof Date ? asOf.toISOString() : asOf,
      include_superseded: options.includeSuperseded,
      search_mode: options.searchMode,
      recall_scope: options.recallScope,
    });
    const place = (await this.#known(options)).arguments();
    const args = { ...place, ...given({ query }), ...chosen, limit, cursor, origin: true };
    return answers.hitsOf(await this.call("recall", args as Arguments<"recall">, options));
  }

  /** Return the model's input for what the user just said, with what matters of the past in it. */
  async beforeTurn(currentInput: Messages, options: BeforeTurn = {}): Promise<Prepared> {
    const place = await (await this.#known(options)).conversation();
    const told = given({
      base_instructions: options.baseInstructions,
      conversation_items: soFar(options.conversationItems),
      max_input_tok: options.maxInputTok,
      recall_scope: options.recallScope,
      format: options.format,
    });
    const args = { ...place.arguments(), current_input: listed("currentInput", currentInput), ...told };
    const answer = await this.call("memory_before_turn", args as Arguments<"memory_before_turn">, options);
    return answers.preparedOf(answer, place.session);
  }

  /** Keep a turn: what the user said and what the model answered, once. */
  async afterTurn(inputItems: Messages, outputItems: Messages, options: AfterTurn = {}): Promise<Stored> {
    const place = await (await this.#known(options)).conversation();
    const { turnId = `turn-${crypto.randomUUID()}`, learned } = options;
    const args = {
      ...place.arguments(),
      turn_id: turnId,
      input_items: listed("inputItems", inputItems),
      output_items: listed("outputItems", outputItems),
      ...given({ conversation_items: soFar(options.conversationItems), learned }),
    };
    const answer = await this.call("memory_after_turn", args as Arguments<"memory_after_turn">, options);
    return answers.storedOf(answer, turnId, place.session);
  }

  /** Keep one thing that is settled, in words that make sense on their own. */
  async remember(content: string, options: Remember = {}): Promise<Remembered> {
    const { type = "fact", confidence = 0.8, rationale, scope } = options;
    const place = (await this.#known(options)).arguments();
    const args = { ...place, content, type, confidence, ...given({ rationale, scope }) };
    const answer = await this.call("remember", args as Arguments<"remember">, options);
    return { id: answer.memory_id, type: answer.memory_type, message: answer.message };
  }

  /** Let go of a memory or a fact by its id; the reason stays on record. */
  async forget(memoryId: string, options: Forget = {}): Promise<Forgotten> {
    const place = (await this.#known(options)).arguments();
    const told = given({ reason: options.reason, replacement_id: options.replacementId });
    const args = { ...place, memory_id: memoryId, ...told };
    const answer = await this.call("forget", args as Arguments<"forget">, options);
    return { id: answer.memory_id, message: answer.message, replacementId: answer.replacement_id ?? undefined };
  }

  /** Return what was said in a session, the oldest first: the newest `limit` items, or all. */
  async history({ limit, ...options }: Call & { readonly limit?: number } = {}): Promise<Said[]> {
    if (limit !== undefined && !(limit >= 1)) throw InvalidArgument.of("limit", "must be at least 1");
    const { session, project } = await (await this.#known(options)).conversation();
    const whose = { session_id: session, ...given({ project }) };
    return said((page) => this.call("memory_list_items", { ...whose, ...page }, options), limit);
  }

  /** Return an item log: of the user, where one is named, or else of the project. */
  items<T = Json>(log: string, names: Names = {}): ItemLog<T> {
    return new ItemLog(this.call.bind(this), this.#owner(names), log);
  }

  /** Yield the item logs whose names begin so, by name, with their state. */
  async *itemLogs({
    prefix = "",
    ...options
  }: Call & { readonly prefix?: string | undefined } = {}): AsyncGenerator<ItemLogSummary> {
    const asked = { ...this.#owner(options), prefix, limit: 100, with_state: true };
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const args = { ...asked, ...given({ cursor }) } as Arguments<"memory_list_item_logs">;
      const answer: Answer<"memory_list_item_logs"> = await this.call("memory_list_item_logs", args, options);
      yield* answer.logs.map(summaryOf);
      cursor = answer.cursor ?? null;
    }
  }

  /** Return the documents of the user, where one is named, or else of the project. */
  documents(names: Names = {}): Documents {
    return new Documents(this.call.bind(this), this.#owner(names));
  }

  /** Return files under /memories: the user's, where one is named, or else the session's, or else the project's. */
  files({ whose, ...names }: FileNames = {}): Files {
    return new Files(this.call.bind(this), { ...this.#place.named(names).arguments(), ...given({ whose }) });
  }

  /** Show where the memory is; never the key. */
  toString(): string {
    return `Cairn(${this.#where})`;
  }

  #owner(names: Names): Owner {
    const { session_id: _, ...owner } = this.#place.named(names).arguments();
    return owner;
  }

  /** Return whose memory a call is about; InvalidArgument where nobody would ever find it again. */
  async #known(names: Call): Promise<Place> {
    const place = this.#place.named(names);
    if (place.user === undefined && place.session === undefined && !(await this.#keyKnowsUser())) {
      throw InvalidArgument.of("user", "is required, or a session: name one in the call, or in new Cairn({ user })");
    }
    return place;
  }

  /** Tell whether the key speaks for one user: then the server recalls without being told for whom. It is asked once. */
  async #keyKnowsUser(): Promise<boolean> {
    this.#knowsUser ??= this.call("recall", { ...this.#place.arguments(), limit: 1 } as Arguments<"recall">)
      .then(() => true)
      .catch((error: unknown) => {
        this.#knowsUser = undefined;
        if (error instanceof InvalidArgument) return false;
        throw error;
      });
    return this.#knowsUser;
  }
}

function summaryOf(told: Answer<"memory_list_item_logs">["logs"][number]): ItemLogSummary {
  const { log, revision, count } = told;
  const times = { createdAt: new Date(told.created_at), updatedAt: new Date(told.updated_at) };
  return { log, revision, count, ...times, state: (told.state ?? null) as Json };
}

function remote({ url, key, fetch }: CairnOptions): { calls: Calls; where: string } {
  const door = new Door(url, key, fetch);
  return { calls: new Retries(door), where: door.where };
}

function soFar(items: readonly Message[] | undefined): Message[] | undefined {
  return items && listed("conversationItems", items);
}
