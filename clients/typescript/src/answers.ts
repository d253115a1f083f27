/** What a memory answers: plain values, made of what the tools return. */

import type { Answer } from "./tools.js";

/** A turn that was stored, once. */
export interface Stored {
  readonly turnId: string;
  readonly session: string;
  /** How many items were written. */
  readonly items: number;
  /** How many facts were learnt. */
  readonly facts: number;
  /** How many facts before them these replaced. */
  readonly replaced: number;
  /** This turn was stored before, and nothing was written now. */
  readonly replayed: boolean;
  /** Counts system and developer items, which are not memory. */
  readonly instructionsLeftOut: number;
  /** All that the tool returned. */
  readonly answer: Answer<"memory_after_turn">;
}

export function storedOf(answer: Answer<"memory_after_turn">, turnId: string, session: string): Stored {
  return {
    turnId,
    session,
    items: answer.events_written,
    facts: answer.facts_written,
    replaced: answer.facts_superseded,
    replayed: answer.replayed,
    instructionsLeftOut: answer.instructions_left_out ?? 0,
    answer,
  };
}

/** A model's input with what matters of the past in it. */
export interface Prepared {
  /** Send these to the model. */
  readonly inputItems: ReadonlyArray<Record<string, unknown>>;
  /** The facts among them. */
  readonly factIds: readonly string[];
  /** An estimate of their size. */
  readonly tokens: number;
  readonly session: string;
  /** The model's instructions, where the format has them apart. */
  readonly system: string | undefined;
  /** What memory adds to a prompt, with the format text; "" if that is nothing. */
  readonly text: string | undefined;
  /** How likely memory answers what the user said. */
  readonly likelihood: number | undefined;
  /** What memory was searched by: hybrid, or words or meaning alone. */
  readonly recalledBy: string | undefined;
  /** All that the tool returned. */
  readonly answer: Answer<"memory_before_turn">;
}

export function preparedOf(answer: Answer<"memory_before_turn">, session: string): Prepared {
  return {
    inputItems: answer.input_items,
    factIds: answer.recall_fact_ids,
    tokens: answer.context_token_count,
    session,
    system: answer.system ?? undefined,
    text: answer.text ?? undefined,
    likelihood: answer.likelihood ?? undefined,
    recalledBy: answer.recalled_by ?? undefined,
    answer,
  };
}

/** Something said, remembered or learnt. */
export interface Hit {
  readonly id: string;
  readonly content: string;
  /** Who said it: a name, or user, assistant or tool; undefined for what an agent remembered. */
  readonly who: string | undefined;
  readonly when: Date;
  /** How likely it is the answer, of all that matches, and 0 where nothing was asked. */
  readonly score: number;
  /** What it is: turn, memory or fact. */
  readonly kind: string;
  /** What kind of memory it is. */
  readonly type: string;
  readonly confidence: number;
  /** Where it was said, as far as that is known. */
  readonly session: string | undefined;
  readonly turnId: string | undefined;
}

/** What was found, the best first or, where nothing was asked, the newest. */
export interface Hits {
  readonly found: readonly Hit[];
  /** How many more match, from `cursor` on. */
  readonly more: number;
  readonly cursor: number | undefined;
  /** How much there was to find: at 0 nothing is stored. */
  readonly searched: number;
  /** What the answer went by: hybrid, text, semantic or time. */
  readonly by: string;
  /** In words, whether any of it is likely an answer. */
  readonly says: string;
  /** The same as a number, undefined where nothing was asked. */
  readonly likelihood: number | undefined;
}

export function hitsOf(answer: Answer<"recall">): Hits {
  return {
    found: answer.memories.map(hitOf),
    more: answer.more,
    cursor: answer.cursor ?? undefined,
    searched: answer.searched,
    by: answer.by,
    says: answer.says ?? "",
    likelihood: answer.likelihood ?? undefined,
  };
}

function hitOf(found: Answer<"recall">["memories"][number]): Hit {
  const { origin } = found;
  return {
    id: found.id,
    content: origin?.words ?? found.content,
    who: origin?.speaker ?? undefined,
    when: new Date(found.timestamp),
    score: found.score,
    kind: found.source.split(":")[0] ?? found.source,
    type: found.type,
    confidence: found.confidence,
    session: origin?.session_id ?? undefined,
    turnId: origin?.turn_id ?? undefined,
  };
}

/** A memory that is kept: forget it by its `id`. */
export interface Remembered {
  readonly id: string;
  readonly type: string;
  readonly message: string;
}

/** A memory or fact that no search returns any more. */
export interface Forgotten {
  readonly id: string;
  readonly message: string;
  readonly replacementId: string | undefined;
}

/** An item of a conversation as it was stored. */
export interface Said {
  readonly id: string;
  /** A name, or user, assistant or tool. */
  readonly who: string;
  /** The text in the item, which may be empty. */
  readonly content: string;
  readonly when: Date;
  readonly turnId: string;
  readonly user: string | undefined;
  readonly item: Readonly<Record<string, unknown>>;
}
