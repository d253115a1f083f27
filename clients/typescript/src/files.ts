/** Files under /memories, of a user, a session or a project, by the commands of Anthropic's memory tool. */

import type { CallOptions } from "./door.js";
import type { Ask } from "./items.js";
import type { Names } from "./place.js";
import { type Arguments, given } from "./tools.js";

/** A command as a model gives it. */
export type FileCommand =
  | { command: "view"; path: string; view_range?: number[] | null | undefined }
  | { command: "create"; path: string; file_text: string }
  | { command: "str_replace"; path: string; old_str: string; new_str: string }
  | { command: "insert"; path: string; insert_line: number; insert_text: string }
  | { command: "delete"; path: string }
  | { command: "rename"; old_path: string; new_path: string };

export interface FileCall extends CallOptions {
  /** Only if the file has this version now; 0: if there is none. */
  readonly expectedVersion?: number | undefined;
  /** With one of your own, the same command can be given again, even by another process, and is done once. */
  readonly operationId?: string | undefined;
}

/** Whose files: of those named the user's, or else the session's, or else the project's; `whose` chooses. */
export interface FileNames extends Names {
  readonly whose?: "user" | "session" | "project" | undefined;
}

const TAKEN = new Set([
  ...["command", "path", "view_range", "file_text", "old_str", "new_str"],
  ...["insert_line", "insert_text", "old_path", "new_path"],
]);

export class Files {
  readonly #ask: Ask;
  readonly #owner: object;

  /** `Cairn.files` makes this. */
  constructor(ask: Ask, owner: object) {
    this.#ask = ask;
    this.#owner = owner;
  }

  /**
   * Return the text that a command answers.
   *
   * What the memory tool refuses is thrown as NotFound, Conflict or InvalidArgument, with its words as the message.
   */
  async command(command: FileCommand, { expectedVersion, operationId, ...options }: FileCall = {}): Promise<string> {
    const taken = Object.entries(command).filter(([name, value]) => TAKEN.has(name) && value != null);
    const args = {
      ...this.#owner,
      ...Object.fromEntries(taken),
      operation_id: operationId ?? `retry:${crypto.randomUUID()}`, // which a file does not tell as its writer
      ...given({ expected_version: expectedVersion }),
    };
    return (await this.#ask("memory", args as Arguments<"memory">, options)).text;
  }
}
