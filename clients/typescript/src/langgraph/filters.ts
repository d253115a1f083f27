/** What LangGraph.js's filters know and the server does not. */

import type { Json } from "../items.js";

type Filter = Record<string, unknown>;

/** Part a filter into what the server knows and what is LangGraph.js's alone: `$in` and `$nin`. */
export function parted(filter: Filter): [Filter, Filter] {
  const [theirs, ours]: [Filter, Filter] = [{}, {}];
  for (const [name, wanted] of Object.entries(filter)) {
    const isOurs = typeof wanted === "object" && wanted !== null && ("$in" in wanted || "$nin" in wanted);
    if (!isOurs) {
      theirs[name] = wanted;
      continue;
    }
    const { $in, $nin, ...others } = wanted as Filter;
    ours[name] = { $in, $nin };
    if (Object.keys(others).length > 0) theirs[name] = others;
  }
  return [theirs, ours];
}

export function holds(value: Json, filter: Filter): boolean {
  const fields = value as Filter;
  return Object.entries(filter).every(([name, wanted]) => {
    const { $in, $nin } = wanted as Filter;
    const isIn = $in === undefined || (Array.isArray($in) && $in.includes(fields[name]));
    return isIn && !(Array.isArray($nin) && $nin.includes(fields[name]));
  });
}
