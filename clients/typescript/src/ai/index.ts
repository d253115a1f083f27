/** Memory for the AI SDK: tools for the agent, and a middleware around its model. */

export { memoryExecute } from "./memory-tool.js";
export { cairnMiddleware, type MemoryOptions, withCairn } from "./middleware.js";
export { cairnTools } from "./tools.js";
