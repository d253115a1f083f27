/** Documents of a user or a project: JSON values under collections and keys. */

import type { CallOptions } from "./door.js";
import type { Ask, Json, Owner } from "./items.js";
import { type Answer, type Arguments, given, type ToolName } from "./tools.js";

/** The name of a document: its collection's labels, from the widest on, and its key. */
export interface DocumentName {
  readonly collection: readonly string[];
  readonly key: string;
}

/** A document as it was stored. */
export interface Document extends DocumentName {
  readonly value: Json;
  /** For `ifVersion`. */
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Until when it is kept; undefined: for ever. */
  readonly expiresAt: Date | undefined;
  /** Of a search by a question, how likely it is the answer, of all that match; undefined: it is not searched so. */
  readonly score: number | undefined;
}

/** How a document is stored. */
export interface Put {
  /** What is searched by a question: paths such as `text` or `a.b[*].c`, false for nothing; unless told, all texts. */
  readonly index?: readonly string[] | false | undefined;
  readonly ttlSeconds?: number | undefined;
  /** Only if the document has this version now; 0: if there is none. */
  readonly ifVersion?: number | undefined;
}

/** A document to store, or to delete where its value is null. */
export interface Change extends DocumentName, Put {
  readonly value: Json;
}

export interface DocumentSearch extends CallOptions {
  readonly query?: string | undefined;
  /** Fields that the value has to have, by equality or with `$eq`, `$ne`, `$gt`, `$gte`, `$lt` or `$lte`. */
  readonly filter?: Record<string, unknown> | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

export interface DocumentKeys extends CallOptions {
  readonly limit?: number | undefined;
}

export interface CollectionSearch extends CallOptions {
  /** How they begin, and end; `*` is any label. */
  readonly prefix?: readonly string[] | undefined;
  readonly suffix?: readonly string[] | undefined;
  /** Cut them to so many labels, and list each once. */
  readonly maxDepth?: number | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

const MOST_READ = 100;

export class Documents {
  readonly #ask: Ask;
  readonly #owner: Owner;

  /** `Cairn.documents` makes this. */
  constructor(ask: Ask, owner: Owner) {
    this.#ask = ask;
    this.#owner = owner;
  }

  /** Store a document in place of the one before, and return its version; Conflict where `ifVersion` does not hold. */
  async put(
    collection: readonly string[],
    key: string,
    value: Exclude<Json, null>,
    { signal, timeoutMs, ...how }: Put & CallOptions = {},
  ): Promise<number> {
    const [version = 0] = await this.putAll([{ collection, key, value, ...how }], { signal, timeoutMs });
    return version;
  }

  /** Store and delete up to 40 documents, all or none, and return their versions, 0 of those that are gone. */
  async putAll(changes: readonly Change[], options: CallOptions = {}): Promise<number[]> {
    const documents = changes.map(({ collection, key, value, index, ttlSeconds, ifVersion }) =>
      given({ collection, key, value, index, ttl_seconds: ttlSeconds, if_version: ifVersion }),
    );
    return (await this.#call("memory_put_documents", { documents }, options)).versions;
  }

  /** Return the document of this name, undefined where there is none. */
  async get(collection: readonly string[], key: string, options?: CallOptions): Promise<Document | undefined> {
    const [found] = await this.getAll([{ collection, key }], options);
    return found;
  }

  /** Return the documents of these names, in their order. */
  async getAll(names: readonly DocumentName[], options: CallOptions = {}): Promise<(Document | undefined)[]> {
    const found: (Document | undefined)[] = [];
    while (found.length < names.length) {
      const documents = names
        .slice(found.length, found.length + MOST_READ)
        .map(({ collection, key }) => ({ collection, key }));
      const told = (await this.#call("memory_get_documents", { documents }, options)).documents;
      found.push(...told.map((each) => (each ? documentOf(each) : undefined)));
    }
    return found;
  }

  /**
   * Return documents of a collection and all below it, the best answers to the query first.
   *
   * Without one they come in the order of their keys.
   */
  async search(collection: readonly string[], options: DocumentSearch = {}): Promise<Document[]> {
    const { query = "", filter = {}, limit = 10, offset = 0 } = options;
    return (await this.#found({ collection, query, filter }, limit, offset, options)).map(documentOf);
  }

  /** Return the names of the first documents of a collection and all below it, in the order of their keys. */
  async keys(collection: readonly string[], { limit = 100, ...options }: DocumentKeys = {}): Promise<DocumentName[]> {
    const told = await this.#found({ collection, keys_only: true }, limit, 0, options);
    return told.map(({ collection, key }) => ({ collection, key }));
  }

  /** Delete a document, if it is there; Conflict where `ifVersion` is given and is not the version there. */
  async delete(
    collection: readonly string[],
    key: string,
    { ifVersion, ...options }: CallOptions & Pick<Put, "ifVersion"> = {},
  ): Promise<void> {
    await this.putAll([{ collection, key, value: null, ifVersion }], options);
  }

  /** Return the collections that have documents, in order. */
  async collections(options: CollectionSearch = {}): Promise<string[][]> {
    const { prefix = [], suffix = [], maxDepth, limit = 100, offset = 0 } = options;
    const asked = { prefix, suffix, ...given({ max_depth: maxDepth }) };
    return all(limit, offset, async (page) => {
      const { collections, more } = await this.#call("memory_list_collections", { ...asked, ...page }, options);
      return { items: collections, more };
    });
  }

  #found(asked: object, limit: number, offset: number, options: CallOptions): Promise<Told[]> {
    return all(limit, offset, async (page) => {
      const { documents, more } = await this.#call("memory_search_documents", { ...asked, ...page }, options);
      return { items: documents, more };
    });
  }

  #call<N extends ToolName>(tool: N, args: object, options: CallOptions): Promise<Answer<N>> {
    return this.#ask(tool, { ...this.#owner, ...args } as unknown as Arguments<N>, options);
  }
}

interface Page<T> {
  readonly items: T[];
  readonly more: boolean;
}

/** Return what is listed, page after page; one page is bounded by the tool. */
async function all<T>(limit: number, offset: number, ask: (page: object) => Promise<Page<T>>): Promise<T[]> {
  const found: T[] = [];
  while (found.length < limit) {
    const { items, more } = await ask({
      limit: Math.min(limit - found.length, MOST_READ),
      offset: offset + found.length,
    });
    found.push(...items);
    if (!more || items.length === 0) break;
  }
  return found;
}

type Told = Omit<Answer<"memory_search_documents">["documents"][number], "score"> & { score?: number | null };

function documentOf(told: Told): Document {
  return {
    collection: told.collection,
    key: told.key,
    value: told.value as Json,
    version: told.version,
    createdAt: new Date(told.created_at),
    updatedAt: new Date(told.updated_at),
    expiresAt: told.expires_at ? new Date(told.expires_at) : undefined,
    score: told.score ?? undefined,
  };
}
