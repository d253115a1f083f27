/** Write any values of a program as JSON that a server keeps, and read them back as they were. */

import type { Json } from "./items.js";

const BYTES = "@cairn/bytes";
const TEXT = "@cairn/text";

/**
 * Return a value as JSON: bytes, and texts that no server keeps as they are, in objects of their own.
 *
 * Fields that are undefined are left out, as JSON leaves them out.
 */
export function packed(value: unknown): Json {
  if (value instanceof Uint8Array) return { [BYTES]: base64(value) };
  if (typeof value === "string") return isPlain(value) ? value : { [TEXT]: JSON.stringify(value) };
  if (Array.isArray(value)) return value.map((each) => packed(each));
  if (typeof value !== "object" || value === null) return value as Json;
  const fields = Object.entries(value).filter(([, each]) => each !== undefined);
  const object = Object.fromEntries(fields.map(([name, each]) => [name, packed(each)]));
  if (!fields.every(([name]) => isPlain(name))) return { [TEXT]: JSON.stringify(object) };
  const mark = markOf(object);
  return mark ? { [mark]: object } : object;
}

/** Return what was packed. */
export function unpacked(value: Json): unknown {
  if (Array.isArray(value)) return value.map(unpacked);
  if (typeof value !== "object" || value === null) return value;
  const object = value as Readonly<Record<string, Json>>;
  const mark = markOf(object);
  const held = mark && object[mark];
  if (mark === BYTES && typeof held === "string") return bytes(held);
  const read = mark === TEXT && typeof held === "string" ? JSON.parse(held) : (held ?? object);
  return typeof read === "object" ? mapped(read, unpacked) : read;
}

/** Tell whether a text is what Unicode allows, and without NUL. */
function isPlain(text: string): boolean {
  return text.isWellFormed() && !text.includes("\u0000");
}

/** Return the mark that is an object's one field. */
function markOf(object: object): string | undefined {
  const [name, ...more] = Object.keys(object);
  return (name === BYTES || name === TEXT) && more.length === 0 ? name : undefined;
}

function mapped(object: object, change: (value: Json) => unknown): object {
  return Object.fromEntries(Object.entries(object).map(([name, each]) => [name, change(each)]));
}

const CHUNK = 0x8000;

export function base64(value: Uint8Array): string {
  let text = "";
  for (let start = 0; start < value.length; start += CHUNK) {
    text += String.fromCharCode(...value.subarray(start, start + CHUNK));
  }
  return btoa(text);
}

export function bytes(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
