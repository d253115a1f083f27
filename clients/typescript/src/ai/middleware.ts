/** Memory around a language model of the AI SDK: what matters is recalled before a turn, and the turn is stored. */

import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4Middleware,
  LanguageModelV4Prompt,
} from "@ai-sdk/provider";
import { wrapLanguageModel } from "ai";
import type { Cairn, Scope } from "../cairn.js";
import type { Names } from "../place.js";
import { isAnswer, saidBy, type Turn, turnOf } from "./prompt.js";
import { Recalled } from "./recalled.js";
import { heard } from "./spoken.js";

/** Whose memory it is, and how it is used. A call may name others, in `providerOptions.cairn`. */
export interface MemoryOptions extends Names {
  readonly cairn: Cairn;
  /** How far memory reaches: the user's sessions, unless told. */
  readonly recallScope?: Scope | undefined;
  /** The most tokens, of memory and conversation together. */
  readonly maxInputTok?: number | undefined;
  /**
   * Told what failed of memory; the model is called and its answer given all the same. Without it, recalling that fails
   * fails the call, and so does storing.
   */
  readonly onError?: (error: unknown) => void;
}

/** What a call may say in `providerOptions.cairn`. */
interface OfCall extends Names {
  /** With an id of your own, a turn that is sent again is stored once. */
  readonly turnId?: string | undefined;
}

/** A turn under way: whose it is, and the abort signal of its call. */
interface Begun {
  readonly memory: Cairn;
  readonly turn: Turn;
  readonly turnId: string | undefined;
}

/** Return the model with memory. */
export function withCairn(
  model: Parameters<typeof wrapLanguageModel>[0]["model"],
  options: MemoryOptions,
): ReturnType<typeof wrapLanguageModel> {
  return wrapLanguageModel({ model, middleware: cairnMiddleware(options) });
}

/**
 * Return the middleware, to be combined with others.
 *
 * A turn is what is new since the last answer, and the answer. It is stored once, when the model answers without
 * calling a tool of yours. One that ends in a tool call is stored with the next that brings it, in its messages. What
 * was broken off is stored as far as it came, and what failed is not.
 */
export function cairnMiddleware({ cairn, onError, user, session, project, ...asking }: MemoryOptions) {
  const whose = cairn.at({ user, session, project });
  const recalled = new Recalled();
  const begun = new WeakMap<LanguageModelV4CallOptions, Begun>();
  const tried = async <T>(doing: Promise<T>): Promise<T | undefined> =>
    onError ? doing.catch((error: unknown) => void onError(error)) : doing;
  const ended = async (params: LanguageModelV4CallOptions, content: readonly LanguageModelV4Content[]) => {
    const known = begun.get(params);
    if (known && isAnswer(content)) await tried(store(known, content));
  };

  return {
    specificationVersion: "v4",
    async transformParams({ params }) {
      const { mine, others } = parted(params);
      const turn = turnOf(params.prompt);
      if (!turn) return others;
      const { turnId, ...names } = mine;
      const memory = whose.at(names);
      const text = await tried(recalled.textOf(memory, turn, { ...asking, signal: params.abortSignal }));
      const told = text ? { ...others, prompt: withMemory(params.prompt, turn.place, text) } : { ...others };
      begun.set(told, { memory, turn, turnId });
      return told;
    },
    async wrapGenerate({ doGenerate, params }) {
      const answer = await doGenerate();
      await ended(params, answer.content);
      return answer;
    },
    async wrapStream({ doStream, params }) {
      const answer = await doStream();
      return { ...answer, stream: heard(answer.stream, params.abortSignal, (content) => ended(params, content)) };
    },
  } satisfies LanguageModelV4Middleware;
}

/** Return what a call says to memory, and the call without it, since it is none of the provider's business. */
function parted(params: LanguageModelV4CallOptions): { mine: OfCall; others: LanguageModelV4CallOptions } {
  const { cairn, ...providerOptions } = params.providerOptions ?? {};
  return cairn ? { mine: cairn as OfCall, others: { ...params, providerOptions } } : { mine: {}, others: params };
}

/** Put what memory says before the user's words, in their message: it is data, and no instruction. */
function withMemory(prompt: LanguageModelV4Prompt, place: number, text: string): LanguageModelV4Prompt {
  return prompt.map((message, number) => {
    if (number !== place || message.role !== "user") return message;
    return { ...message, content: [{ type: "text", text }, ...message.content] };
  });
}

/** Store the turn; where nothing was answered, the next turn brings it. */
async function store({ memory, turn, turnId }: Begun, content: readonly LanguageModelV4Content[]): Promise<void> {
  const answer = saidBy("assistant", content);
  if (answer.length === 0) return;
  await memory.afterTurn(turn.input, answer, { turnId });
}
