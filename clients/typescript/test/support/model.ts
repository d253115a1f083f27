/** A model of the AI SDK that says what a script has, one answer a call. */

import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { MockLanguageModelV4 } from "ai/test";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

export const text = (words: string): LanguageModelV4Content => ({ type: "text", text: words });

export const call = (toolName: string, input: object, toolCallId = "call-1"): LanguageModelV4Content => ({
  type: "tool-call",
  toolCallId,
  toolName,
  input: JSON.stringify(input),
});

function reason(content: readonly LanguageModelV4Content[]) {
  const unified = content.some((part) => part.type === "tool-call") ? "tool-calls" : "stop";
  return { unified, raw: undefined } as const;
}

function parts(content: LanguageModelV4Content): LanguageModelV4StreamPart[] {
  if (content.type !== "text") return [content as LanguageModelV4StreamPart];
  const words = content.text.split(/(?<= )/);
  const deltas = words.map((delta) => ({ type: "text-delta", id: "1", delta }) as const);
  return [{ type: "text-start", id: "1" }, ...deltas, { type: "text-end", id: "1" }];
}

/** Return a stream of an answer; `end` replaces what comes after its parts. */
export function stream(
  content: LanguageModelV4Content[],
  end?: (controller: { error(reason: unknown): void }) => void,
) {
  const finish: LanguageModelV4StreamPart = { type: "finish", usage, finishReason: reason(content) };
  const told: LanguageModelV4StreamPart[] = [{ type: "stream-start", warnings: [] }, ...content.flatMap(parts)];
  if (!end) told.push(finish);
  return new ReadableStream<LanguageModelV4StreamPart>({
    pull(controller) {
      const next = told.shift();
      if (next) controller.enqueue(next);
      else if (end) end(controller);
      else controller.close();
    },
  });
}

export function model(...answers: LanguageModelV4Content[][]): MockLanguageModelV4 {
  let number = 0;
  const next = () => answers[Math.min(number++, answers.length - 1)] ?? [];
  return new MockLanguageModelV4({
    doGenerate: async (): Promise<LanguageModelV4GenerateResult> => {
      const content = next();
      return { content, finishReason: reason(content), usage, warnings: [] };
    },
    doStream: async () => ({ stream: stream(next()) }),
  });
}
