/** Read a session's conversation back, as it was stored. */

import type { Said } from "./answers.js";
import type { Answer } from "./tools.js";

type Page = Answer<"memory_list_items">;
type Item = Readonly<Record<string, unknown>>;

const AT_ONCE = 200;
const LONGEST_NAME = 64;

/** Return the newest `limit` items, all unless told, in the order in which they were said. */
export async function said(
  ask: (page: { order: "newest"; cursor: number; limit: number }) => Promise<Page>,
  limit = Number.POSITIVE_INFINITY,
): Promise<Said[]> {
  const pages: Said[][] = [];
  let cursor: number | null | undefined = 0;
  for (let left = limit; left > 0 && typeof cursor === "number"; ) {
    const page: Page = await ask({ order: "newest", cursor, limit: Math.min(left, AT_ONCE) });
    pages.unshift(page.items.map(saidOf));
    left -= page.items.length;
    cursor = page.cursor;
  }
  return pages.flat().slice(limit === Number.POSITIVE_INFINITY ? 0 : -limit);
}

function saidOf(told: Page["items"][number]): Said {
  return {
    id: told.id,
    who: nameOf(told.item) ?? roleOf(told.item),
    content: textOf(told.item),
    when: new Date(told.at),
    turnId: told.turn_id,
    user: told.user_id ?? undefined,
    item: told.item,
  };
}

/** Return the name that a message gives its author, where it gives one and is short enough to be one. */
function nameOf({ name, type = "message" }: Item): string | undefined {
  const trimmed = typeof name === "string" && type === "message" ? name.trim() : "";
  return trimmed && trimmed.length <= LONGEST_NAME ? trimmed : undefined;
}

/** Return who an item is from: its role, or assistant and tool for calls and their results. */
function roleOf({ role, type }: Item): string {
  if (typeof role === "string") return role;
  return String(type).endsWith("_call_output") ? "tool" : "assistant";
}

/** Return the text that was said or returned in an item, parts joined by newlines; "" where there is none. */
function textOf(item: Item): string {
  if (item.type === "reasoning" || item.type === "compaction") return "";
  const texts = [item.content, item.output, item.arguments, item.refusal].flatMap((value) => {
    if (typeof value === "string") return [value];
    return Array.isArray(value) ? value.flatMap(textOfPart) : [];
  });
  return texts.join("\n");
}

function textOfPart(part: unknown): string[] {
  if (typeof part !== "object" || part === null) return [];
  const { text, refusal } = part as Item;
  return [text, refusal].filter((each) => typeof each === "string");
}
