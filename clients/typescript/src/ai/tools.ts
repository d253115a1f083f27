/** What an agent of the AI SDK may do with its memory itself. */

import { type JSONSchema7, jsonSchema, tool } from "ai";
import type { Cairn } from "../cairn.js";
import { type Names, type Subject, withoutSubject } from "../place.js";
import { SCHEMAS } from "../schemas.js";
import type { Answer, Arguments } from "../tools.js";

type Offered = keyof typeof SCHEMAS;
type Input<T extends Offered> = Omit<Arguments<T>, Subject>;
type Execute<T extends Offered> = (input: Input<T>, options: { abortSignal?: AbortSignal }) => Promise<Answer<T>>;

/** Return the tools recall, remember and forget, as the server describes them, for one memory. */
export function cairnTools({ cairn, ...names }: Names & { readonly cairn: Cairn }) {
  const memory = cairn.at(names);
  const described = <T extends Offered>(name: T) => ({
    description: SCHEMAS[name].description,
    inputSchema: jsonSchema<Input<T>>(SCHEMAS[name].inputSchema as JSONSchema7),
  });
  const execute =
    <T extends Offered>(name: T): Execute<T> =>
    (input, { abortSignal }) =>
      memory.call(name, { ...withoutSubject(input), ...memory.names() } as Arguments<T>, { signal: abortSignal });
  return {
    recall: tool({ ...described("recall"), execute: execute("recall") }),
    remember: tool({ ...described("remember"), execute: execute("remember") }),
    forget: tool({ ...described("forget"), execute: execute("forget") }),
  };
}
