/** The memory tool of Anthropic's SDK, whose files are kept by Cairn. */

import type { BetaRunnableTool } from "@anthropic-ai/sdk/lib/tools/BetaRunnableTool";
import type { BetaMemoryTool20250818, BetaMemoryTool20250818Command } from "@anthropic-ai/sdk/resources/beta";
import type { Cairn } from "../cairn.js";
import type { FileNames } from "../files.js";

export interface MemoryToolOptions extends FileNames {
  readonly cairn: Cairn;
  /** What else the definition of the tool says to the API, such as `cache_control`. */
  readonly definition?: Omit<BetaMemoryTool20250818, "type" | "name"> | undefined;
}

/**
 * Return the tool for `client.beta.messages.toolRunner`.
 *
 * A call of the model is done once, however often it is run: its id goes with it. What the tool refuses, the model is
 * told by the runner.
 */
export function memoryTool({
  cairn,
  definition,
  ...names
}: MemoryToolOptions): BetaRunnableTool<BetaMemoryTool20250818Command> {
  const files = cairn.files(names);
  return {
    ...definition,
    type: "memory_20250818",
    name: "memory",
    parse: (content) => content as BetaMemoryTool20250818Command,
    run: (command, context) =>
      files.command(command, { operationId: context?.toolUse.id, signal: context?.signal ?? undefined }),
  };
}
