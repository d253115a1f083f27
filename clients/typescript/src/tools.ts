/** What each tool takes and answers, as the server describes it in /openapi.json. */

import type { paths } from "./openapi.js";

type PathOf<T extends string> = `/v1/tools/${T}`;

/** The name of a tool. */
export type ToolName = { [P in keyof paths]: P extends PathOf<infer T> ? T : never }[keyof paths];

type Post<T extends ToolName> = paths[PathOf<T>] extends { post: infer Operation } ? Operation : never;

/** What a tool takes. */
export type Arguments<T extends ToolName> =
  Post<T> extends { requestBody: { content: { "application/json": infer Body } } } ? Body : never;

/** What a tool answers. */
export type Answer<T extends ToolName> =
  Post<T> extends { responses: { 200: { content: { "application/json": infer Body } } } } ? Body : never;

/** Return the arguments that say something. */
export function given(args: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
}
