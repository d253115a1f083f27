/** What Claude's memory tool does, as the AI SDK has it. */

import type { Cairn } from "../cairn.js";
import type { FileCommand, FileNames } from "../files.js";

/**
 * Return the callback for `anthropic.tools.memory_20250818({ execute })`: files under /memories, kept by Cairn.
 *
 * A call of the model is done once, however often it is run: its id goes with it.
 */
export function memoryExecute({ cairn, ...names }: FileNames & { readonly cairn: Cairn }) {
  const files = cairn.files(names);
  return (
    command: FileCommand,
    { toolCallId, abortSignal }: { toolCallId: string; abortSignal?: AbortSignal | undefined },
  ) => files.command(command, { operationId: toolCallId, signal: abortSignal });
}
