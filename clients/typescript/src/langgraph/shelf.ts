/** Where a thread's checkpoints, values and writes are among documents, and how large ones are cut. */

import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import type { Change, DocumentName, Documents } from "../documents.js";
import { CorruptData } from "../errors.js";
import { type Json, stepsOf } from "../items.js";
import { base64, bytes } from "../packing.js";

export type Kind = "checkpoints" | "values" | "writes" | "parts";
export const KINDS: readonly Kind[] = ["checkpoints", "values", "writes", "parts"];

const ROOT = "langgraph-checkpoints-js";
const MOST_AT_ONCE = 40;
/** Of the documents of one call, as JSON: a server takes requests of 2 MB unless it is told otherwise. */
const MOST_BYTES = 1_400_000;
const PART = 350_000;

/** Return the collection of a thread's documents of one kind, or of all threads, namespaces or checkpoints. */
export function collectionOf(kind: Kind, thread?: string, namespace?: string, checkpoint?: string): string[] {
  const labels = [ROOT, kind];
  if (thread !== undefined) labels.push(thread);
  if (namespace !== undefined) labels.push(`/${namespace}`);
  if (checkpoint !== undefined) labels.push(checkpoint);
  return labels;
}

/** Return the thread and namespace that a collection is of. */
export function threadOf([, , thread = "", namespace = "/"]: readonly string[]): [string, string] {
  return [thread, namespace.slice(1)];
}

/** Return a key that comes before those of all smaller texts, so that the newest checkpoint is the first document. */
export function descending(id: string): string {
  const inverted = Array.from(new TextEncoder().encode(id), (byte) => (255 - byte).toString(16).padStart(2, "0"));
  return `${inverted.join("")}~`;
}

/** What a serializer made, as a document has it: text that is JSON, bytes, or where these are in how many parts. */
export type Cut = { readonly type: string } & ({ text: string } | { bytes: string } | { parts: number; at: string });

/** Return what a serializer makes of a value, cut, and the documents of its parts in a collection. */
export async function cut(
  serde: SerializerProtocol,
  value: unknown,
  collection: readonly string[],
): Promise<{ cut: Cut; parts: Change[] }> {
  const [type, data] = await serde.dumpsTyped(value);
  if (type === "json" && data.length <= PART) return { cut: { type, text: new TextDecoder().decode(data) }, parts: [] };
  const text = base64(data);
  if (text.length <= PART) return { cut: { type, bytes: text }, parts: [] };
  const at = crypto.randomUUID();
  const parts = partsOf(collection, at, Math.ceil(text.length / PART)).map((name, number) => ({
    ...name,
    value: text.slice(number * PART, (number + 1) * PART),
    index: false as const,
  }));
  return { cut: { type, parts: parts.length, at }, parts };
}

/** Return the value that was cut, from its parts where it has some; CorruptData where one is not there. */
export async function joined<T>(
  serde: SerializerProtocol,
  told: Cut,
  documents: Documents,
  collection: readonly string[],
): Promise<T> {
  if ("text" in told) return serde.loadsTyped(told.type, new TextEncoder().encode(told.text));
  if ("bytes" in told) return serde.loadsTyped(told.type, bytes(told.bytes));
  const parts = await documents.getAll(partsOf(collection, told.at, told.parts));
  const texts = parts.flatMap((part) => (typeof part?.value === "string" ? [part.value] : []));
  if (texts.length < told.parts) throw new CorruptData("A part of a thread's value is gone", { reason: "damaged" });
  return serde.loadsTyped(told.type, bytes(texts.join("")));
}

/** Store documents; those that come last are in the last transaction. */
export async function putAll(documents: Documents, changes: readonly Change[]): Promise<void> {
  if (changes.length === 0) return;
  for (const step of stepsOf(changes, MOST_AT_ONCE, MOST_BYTES)) await documents.putAll(step);
}

/** Delete all documents of a collection and below it. */
export async function deleteAll(documents: Documents, collection: readonly string[]): Promise<void> {
  for (;;) {
    const names = await documents.keys(collection, { limit: MOST_AT_ONCE });
    if (names.length === 0) return;
    await documents.putAll(names.map((name) => ({ ...name, value: null as Json })));
  }
}

function partsOf(collection: readonly string[], at: string, count: number): DocumentName[] {
  return Array.from({ length: count }, (_, number) => ({ collection, key: `${at}/${number}` }));
}
