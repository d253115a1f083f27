/** Listen to a model's stream, and tell what it said when it ends. */

import type { LanguageModelV4Content, LanguageModelV4StreamPart } from "@ai-sdk/provider";

/** How a stream ended: all of it came, it was broken off by who reads it, or it failed. */
type End = "finished" | "aborted" | "failed";

/**
 * Return a stream of the same parts. Unless it fails, `ended` is awaited once, before its reader learns of its end.
 *
 * What was broken off holds the texts that had come by then, and no tool calls, since nobody will answer them.
 */
export function heard(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  signal: AbortSignal | undefined,
  ended: (content: LanguageModelV4Content[]) => Promise<void>,
): ReadableStream<LanguageModelV4StreamPart> {
  const reader = stream.getReader();
  const spoken = new Spoken();
  let isOver = false;
  const end = async (how: End) => {
    if (isOver) return;
    isOver = true;
    if (how !== "failed") await ended(how === "finished" ? spoken.content() : spoken.texts());
  };
  return new ReadableStream({
    async pull(controller) {
      const read = await reader.read().catch(async (error: unknown) => {
        await end(signal?.aborted ? "aborted" : "failed");
        throw error;
      });
      if (read.done) {
        await end(spoken.failed ? "failed" : spoken.isFinished || !signal?.aborted ? "finished" : "aborted");
        controller.close();
      } else {
        spoken.take(read.value);
        controller.enqueue(read.value);
      }
    },
    async cancel(reason) {
      await Promise.all([end("aborted"), reader.cancel(reason)]);
    },
  });
}

/** What came so far. */
class Spoken {
  failed = false;
  isFinished = false;
  readonly #parts: LanguageModelV4Content[] = [];
  readonly #texts = new Map<string, { type: "text"; text: string }>();

  take(part: LanguageModelV4StreamPart): void {
    if (part.type === "text-delta") this.#text(part.id).text += part.delta;
    else if (part.type === "error") this.failed = true;
    else if (part.type === "finish") this.isFinished = true;
    else if (part.type === "tool-call" || part.type === "tool-result" || part.type === "file") this.#parts.push(part);
  }

  content(): LanguageModelV4Content[] {
    return this.#parts;
  }

  texts(): LanguageModelV4Content[] {
    return this.#parts.filter((part) => part.type === "text");
  }

  #text(id: string): { text: string } {
    const known = this.#texts.get(id);
    if (known) return known;
    const made = { type: "text", text: "" } as const;
    this.#texts.set(id, made);
    this.#parts.push(made);
    return made;
  }
}
