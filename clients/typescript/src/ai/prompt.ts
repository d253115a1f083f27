/** Find the turn in a model's prompt, and tell it as memory takes it. */

import type { LanguageModelV4Content, LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";

/** A message whose parts are JSON. */
export interface Item {
  readonly role: "user" | "assistant" | "tool";
  readonly content: readonly object[];
}

/** What a model is asked to go on with. */
export interface Turn {
  /** What was said before it. */
  readonly before: readonly Item[];
  /** What is new since the last answer: the user's words, and what tools were asked and returned on the way. */
  readonly input: readonly Item[];
  /** Where the user's last message stands in the prompt. */
  readonly place: number;
}

type Part = Exclude<LanguageModelV4Message, { role: "system" }>["content"][number] | LanguageModelV4Content;

/** Return the turn that a prompt ends with; undefined where nothing in it is new, or no user spoke. */
export function turnOf(prompt: LanguageModelV4Prompt): Turn | undefined {
  const place = prompt.findLastIndex((message) => message.role === "user");
  const start = prompt.findLastIndex((message) => message.role === "assistant" && isAnswer(message.content)) + 1;
  const input = prompt.slice(start).flatMap(itemOf);
  if (place < 0 || input.length === 0) return undefined;
  return { before: prompt.slice(0, start).flatMap(itemOf), input, place };
}

/** Tell whether the assistant has answered: it waits for no tool of the caller's. */
export function isAnswer(parts: readonly Part[]): boolean {
  return parts.every((part) => part.type !== "tool-call" || part.providerExecuted === true);
}

/** Return what was said in an item, none where that is nothing. */
export function saidBy(role: Item["role"], parts: readonly Part[]): Item[] {
  const content = parts.flatMap(partOf);
  return content.length === 0 ? [] : [{ role, content }];
}

function itemOf(message: LanguageModelV4Message): Item[] {
  return message.role === "system" ? [] : saidBy(message.role, message.content);
}

/** Return what is kept of a part: a file by its name, and nothing of thoughts, approvals and empty texts. */
function partOf(part: Part): object[] {
  switch (part.type) {
    case "text":
      return part.text.trim() === "" ? [] : [{ type: "text", text: kept(part.text) }];
    case "file":
      return [{ type: "text", text: label(part) }];
    case "tool-call":
      return [
        { type: "tool-call", toolCallId: part.toolCallId, toolName: part.toolName, input: kept(inputOf(part.input)) },
      ];
    case "tool-result":
      if ("preliminary" in part && part.preliminary === true) return [];
      return [
        { type: "tool-result", toolCallId: part.toolCallId, toolName: part.toolName, output: kept(outputOf(part)) },
      ];
    default:
      return [];
  }
}

/** Return a value without what no server keeps: NUL, and halves of characters. */
function kept<T>(value: T): T {
  const plain = (text: string) => text.toWellFormed().replaceAll("\u0000", "\ufffd");
  if (typeof value === "string") return plain(value) as T;
  return JSON.parse(JSON.stringify(value), (_, each) => (typeof each === "string" ? plain(each) : each));
}

/** A model gives a tool's input as JSON text, a prompt as a value. */
function inputOf(input: unknown): unknown {
  if (typeof input !== "string") return input ?? {};
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

function outputOf(part: Extract<Part, { type: "tool-result" }>): unknown {
  if (!("output" in part)) return { type: "json", value: part.result };
  const { output } = part;
  if (output.type === "execution-denied") return { type: "error-text", value: output.reason ?? "denied" };
  if (output.type !== "content") return { type: output.type, value: output.value };
  const texts = output.value.map((each) =>
    each.type === "text" ? each.text : each.type === "file" ? label(each) : "",
  );
  return { type: "text", value: texts.filter(Boolean).join("\n") };
}

function label({ mediaType, filename }: { mediaType: string; filename?: string | undefined }): string {
  const kind = mediaType.split("/")[0] === "image" ? "image" : "file";
  return `[${kind}: ${filename ?? mediaType}]`;
}
