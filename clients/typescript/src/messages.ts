/** Take messages as programs have them: texts, and objects of JSON. */

import { InvalidArgument } from "./errors.js";

/** Something said: a message such as `{ role: "user", content: "Hello" }`, a framework's own, or a text. */
export type Message = string | object;
export type Messages = Message | readonly Message[];

/** Return messages as a list of items; InvalidArgument names the one that is none. */
export function listed(field: string, messages: Messages): Message[] {
  if (!Array.isArray(messages)) return [item(field, messages)];
  return messages.map((each, place) => item(`${field}[${place}]`, each));
}

/** Return what was said up to the user's last word, and what the model answered to that. */
export function parted(items: readonly Message[]): [Message[], Message[]] {
  const end = items.findLastIndex(isUsers) + 1;
  return [items.slice(0, end), items.slice(end)];
}

function item(field: string, message: unknown): Message {
  if (typeof message === "string") return message;
  if (typeof message === "object" && message !== null && !Array.isArray(message)) return message;
  throw InvalidArgument.of(field, "must be text, or an object such as { role: 'user', content: 'Hello' }");
}

function isUsers(message: Message): boolean {
  if (typeof message === "string") return true;
  const { role, type } = message as { role?: unknown; type?: unknown };
  return role === "user" || role === "human" || type === "human";
}
