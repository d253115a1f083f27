/** How the store writes namespaces, keys, paths and questions as documents have them; for Python it is the same. */

import type { DocumentName } from "../documents.js";

const ROOT = "langgraph";
/** Stands for any label of a namespace. */
export const ANY = "*";
/** How long a question may be; of a longer one its beginning and its end are asked, where questions stand. */
const QUESTION = 1000;

export function nameOf(namespace: readonly string[], key: string): DocumentName {
  return { collection: collectionOf(namespace), key: plain(key) };
}

export function collectionOf(namespace: readonly string[]): string[] {
  return [ROOT, ...namespace.map(plain)];
}

export function namespaceOf([, ...labels]: readonly string[]): string[] {
  return labels.map(readBack);
}

/** Return a label or a key with what documents refuse in names written as `%` and its code. */
export function plain(text: string): string {
  const code = (odd: string) => `%${odd.charCodeAt(0).toString(16).padStart(4, "0")}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  return text.replace(/[%\u0000-\u001f\u007f-\u009f\p{Surrogate}]/gu, code) || "%";
}

export function readBack(name: string): string {
  return name === "%"
    ? ""
    : name.replace(/%([0-9a-f]{4})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Return the one path that agrees with all of these, undefined where there is none. */
export function together(paths: readonly (readonly string[])[]): string[] | undefined {
  const joined: string[] = [];
  for (const [place, label] of paths.flatMap((path) => [...path.entries()])) {
    if (joined[place] === undefined || joined[place] === ANY) joined[place] = label;
    else if (label !== ANY && label !== joined[place]) return undefined;
  }
  return joined;
}

export function questionOf(query: string): string {
  return query.length <= QUESTION ? query : `${query.slice(0, QUESTION / 2)} ${query.slice(1 - QUESTION / 2)}`;
}

/** Return the paths that LangGraph writes as one: `a.{b,c}` for `a.b` and `a.c`. */
export function pathsOf(path: string): string[] {
  const [, before, fields] = /^(.*?)\{([^{}]*)\}$/.exec(path) ?? [];
  if (fields === undefined) return [path];
  return fields.split(",").flatMap((field) => (field.trim() ? [`${before}${field.trim()}`] : []));
}
