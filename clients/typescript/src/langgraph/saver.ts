/** A checkpointer of LangGraph.js whose threads last: each checkpoint, value and write is a document. */

import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  compareWritesSortKeys,
  copyCheckpoint,
  getCheckpointId,
  maxChannelVersion,
  type PendingWrite,
  type SerializerProtocol,
  TASKS,
  WRITES_IDX_MAP,
  writesSortKey,
} from "@langchain/langgraph-checkpoint";
import type { Cairn } from "../cairn.js";
import type { Change, Document, DocumentName, Documents } from "../documents.js";
import { Conflict } from "../errors.js";
import type { Json } from "../items.js";
import type { Names } from "../place.js";
import { type Cut, collectionOf, cut, deleteAll, descending, joined, KINDS, putAll, threadOf } from "./shelf.js";

export interface SaverOptions extends Pick<Names, "user" | "project"> {
  readonly cairn: Cairn;
  /** Turns values into bytes; the saver's own writes JSON. */
  readonly serde?: SerializerProtocol | undefined;
}

/** A checkpoint as its document has it. */
interface Kept {
  readonly id: string;
  readonly parent: string | null;
  readonly checkpoint: Cut;
  readonly metadata: Cut;
}

interface KeptWrite {
  readonly task: string;
  readonly path: string;
  readonly index: number;
  readonly channel: string;
  readonly value: Cut;
}

const PAGE = 20;
const MOST = Number.POSITIVE_INFINITY;
/** Since this version of a checkpoint, the tasks that were sent are a channel of its own. */
const VERSION_OF_TASKS = 4;
const VERSION_DIGITS = 16;

/**
 * Keeps the threads of a user, or of a project.
 *
 * A channel's value is stored once for each of its versions, and what belongs to a checkpoint before the checkpoint
 * itself, in the same transaction where it fits into one: up to 40 documents and 1.4 MB.
 */
export class CairnSaver extends BaseCheckpointSaver {
  readonly #documents: Documents;

  constructor({ cairn, user, project, serde }: SaverOptions) {
    super(serde);
    this.#documents = cairn.documents({ user, project });
  }

  /**
   * Versions of a fork must not be those of another, since each stands for one value: so they end at random.
   *
   * They are texts, which LangGraph.js compares as well as numbers, though its types know numbers alone.
   */
  override getNextVersion(current: number | undefined): number {
    const number = Number.parseInt(String(current ?? 0), 10) + 1;
    return `${String(number).padStart(VERSION_DIGITS, "0")}.${crypto.randomUUID()}` as unknown as number;
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { thread, namespace } = placeOf(config);
    if (thread === undefined) return undefined;
    const collection = collectionOf("checkpoints", thread, namespace);
    const id = getCheckpointId(config);
    const found = id
      ? await this.#documents.get(collection, descending(id))
      : (await this.#documents.search(collection, { limit: 1 }))[0];
    return found && this.#tuple(found);
  }

  override async *list(config: RunnableConfig, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
    const { thread, namespace, id } = placeOf(config);
    const asked = config.configurable?.checkpoint_ns === undefined ? undefined : namespace;
    const collection = collectionOf("checkpoints", thread, thread === undefined ? undefined : asked);
    const before: string | undefined = options.before?.configurable?.checkpoint_id;
    let left = options.limit ?? MOST;
    for await (const document of this.#all(collection)) {
      if (left <= 0) return;
      const kept = document.value as unknown as Kept;
      if (asked !== undefined && threadOf(document.collection)[1] !== asked) continue;
      if ((id && kept.id !== id) || (before && kept.id >= before)) continue;
      const metadata = await this.#joined<CheckpointMetadata<Record<string, unknown>>>(kept.metadata, document);
      if (!Object.entries(options.filter ?? {}).every(([name, value]) => isSame(metadata[name], value))) continue;
      left -= 1;
      yield this.#tuple(document, metadata);
    }
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { namespace, id: parent = null } = placeOf(config);
    const thread = required(config, "thread_id");
    const { channel_values: values, ...rest } = copyCheckpoint(checkpoint);
    const name = { collection: collectionOf("checkpoints", thread, namespace), key: descending(checkpoint.id) };
    const parts = collectionOf("parts", thread, namespace);
    const changed = Object.entries(newVersions).filter(([channel]) => Object.hasOwn(values, channel));
    const stored = changed.map(async ([channel, version]) => {
      const told = await cut(this.serde, values[channel], parts);
      return [...told.parts, documentOf(valueName(thread, namespace, channel, version), told.cut)];
    });
    const before = (await Promise.all(stored)).flat();
    const [own, about] = [await cut(this.serde, rest, parts), await cut(this.serde, metadata, parts)];
    const kept: Kept = { id: checkpoint.id, parent, checkpoint: own.cut, metadata: about.cut };
    await putAll(this.#documents, [...before, ...own.parts, ...about.parts, documentOf(name, kept)]);
    return { configurable: { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: checkpoint.id } };
  }

  override async putWrites(config: RunnableConfig, writes: PendingWrite[], task: string, path = ""): Promise<void> {
    const { namespace } = placeOf(config);
    const thread = required(config, "thread_id");
    const collection = collectionOf("writes", thread, namespace, required(config, "checkpoint_id"));
    const parts = collectionOf("parts", thread, namespace);
    const told = writes.map(async ([channel, value], place) => {
      const index = WRITES_IDX_MAP[channel] ?? place;
      const told = await cut(this.serde, value, parts);
      const kept: KeptWrite = { task, path, index, channel, value: told.cut };
      return { index, parts: told.parts, own: documentOf({ collection, key: `${task}/${index}` }, kept) };
    });
    const all = await Promise.all(told);
    const again = all.filter(({ index }) => index < 0).map(({ own }) => own);
    await putAll(this.#documents, [...all.flatMap(({ parts }) => parts), ...again]);
    await this.#putOnce(all.filter(({ index }) => index >= 0).map(({ own }) => own));
  }

  override async deleteThread(thread: string): Promise<void> {
    for (const kind of KINDS) await deleteAll(this.#documents, collectionOf(kind, thread));
  }

  /** Store writes that are not there yet: a task that is run again does not change what it wrote. */
  async #putOnce(writes: readonly Change[]): Promise<void> {
    for (let left = writes; left.length > 0; ) {
      try {
        return await putAll(
          this.#documents,
          left.map((change) => ({ ...change, ifVersion: 0 })),
        );
      } catch (error) {
        if (!(error instanceof Conflict)) throw error;
      }
      const there = await this.#documents.getAll(left);
      left = left.filter((_, number) => there[number] === undefined);
    }
  }

  async #tuple(document: Document, known?: CheckpointMetadata): Promise<CheckpointTuple> {
    const kept = document.value as unknown as Kept;
    const [thread, namespace] = threadOf(document.collection);
    const [checkpoint, metadata, pendingWrites] = await Promise.all([
      this.#checkpoint(document),
      known ?? this.#joined<CheckpointMetadata>(kept.metadata, document),
      this.#writes(thread, namespace, kept.id),
    ]);
    const config = (id: string) => ({
      configurable: { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: id },
    });
    const tuple: CheckpointTuple = { config: config(kept.id), checkpoint, metadata, pendingWrites };
    return kept.parent === null ? tuple : { ...tuple, parentConfig: config(kept.parent) };
  }

  /** Return a checkpoint with the values of its channels, as far as there are some of their versions. */
  async #checkpoint(document: Document): Promise<Checkpoint> {
    const [thread, namespace] = threadOf(document.collection);
    const { checkpoint, parent } = document.value as unknown as Kept;
    const read = await this.#joined<Checkpoint>(checkpoint, document);
    const channels = Object.entries(read.channel_versions);
    const names = channels.map(([channel, version]) => valueName(thread, namespace, channel, version));
    const found = names.length > 0 ? await this.#documents.getAll(names) : [];
    const values = await Promise.all(
      found.map(async (value, number) => {
        const [channel = ""] = channels[number] ?? [];
        return value ? [[channel, await this.#joined(value.value as unknown as Cut, value)] as const] : [];
      }),
    );
    const whole = { ...read, channel_values: Object.fromEntries(values.flat()) };
    return read.v < VERSION_OF_TASKS && parent !== null ? this.#withTasks(whole, thread, namespace, parent) : whole;
  }

  /** Return a checkpoint of an earlier LangGraph.js with the tasks that its parent sent, as it has them since. */
  async #withTasks(checkpoint: Checkpoint, thread: string, namespace: string, parent: string): Promise<Checkpoint> {
    const writes = await this.#writes(thread, namespace, parent);
    const sent = writes.filter(([, channel]) => channel === TASKS).map(([, , value]) => value);
    const versions = Object.values(checkpoint.channel_versions);
    const version = versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined);
    return {
      ...checkpoint,
      channel_values: { ...checkpoint.channel_values, [TASKS]: sent },
      channel_versions: { ...checkpoint.channel_versions, [TASKS]: version },
    };
  }

  async #writes(thread: string, namespace: string, id: string): Promise<CheckpointPendingWrite[]> {
    const found = await this.#documents.search(collectionOf("writes", thread, namespace, id), { limit: MOST });
    const writes = found.map((document) => ({ document, kept: document.value as unknown as KeptWrite }));
    const key = ({ kept }: { kept: KeptWrite }) => writesSortKey(kept.path, kept.task, kept.index);
    writes.sort((one, other) => compareWritesSortKeys(key(one), key(other)));
    const read = writes.map(async ({ document, kept }): Promise<CheckpointPendingWrite> => {
      return [kept.task, kept.channel, await this.#joined(kept.value, document)];
    });
    return Promise.all(read);
  }

  /** Yield a collection's checkpoints, page after page; one that is added meanwhile makes none come twice. */
  async *#all(collection: readonly string[]): AsyncGenerator<Document> {
    const seen = new Set<string>();
    for (let offset = 0; ; offset += PAGE) {
      const page = await this.#documents.search(collection, { limit: PAGE, offset });
      for (const document of page) {
        const name = JSON.stringify([document.collection, document.key]);
        if (!seen.has(name)) yield document;
        seen.add(name);
      }
      if (page.length < PAGE) return;
    }
  }

  #joined<T>(told: Cut, { collection }: DocumentName): Promise<T> {
    return joined<T>(this.serde, told, this.#documents, collectionOf("parts", ...threadOf(collection)));
  }
}

/** Return a document that is only read by its name. */
function documentOf(name: DocumentName, value: Kept | KeptWrite | Cut): Change {
  return { ...name, value: value as unknown as Json, index: false };
}

function placeOf(config: RunnableConfig): { thread: string | undefined; namespace: string; id: string | undefined } {
  const { thread_id, checkpoint_ns = "", checkpoint_id } = config.configurable ?? {};
  return { thread: thread_id || undefined, namespace: checkpoint_ns, id: checkpoint_id || undefined };
}

function required(config: RunnableConfig, name: "thread_id" | "checkpoint_id"): string {
  const value: unknown = config.configurable?.[name];
  if (typeof value === "string" && value !== "") return value;
  throw new Error(`The config's "configurable" must have a "${name}", a string that is not empty`);
}

function valueName(thread: string, namespace: string, channel: string, version: string | number): DocumentName {
  return { collection: collectionOf("values", thread, namespace), key: `${channel}/${version}` };
}

/** Tell whether a field of the metadata is what a filter says. */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
