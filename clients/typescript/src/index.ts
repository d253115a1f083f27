/** Memory for AI agents, of a Cairn server. */

export type { Forgotten, Hit, Hits, Prepared, Remembered, Said, Stored } from "./answers.js";
export {
  type AfterTurn,
  type BeforeTurn,
  Cairn,
  type CairnOptions,
  type Call,
  type Forget,
  type Remember,
  type Scope,
  type Search,
  type Through,
} from "./cairn.js";
export {
  type Change,
  type CollectionSearch,
  type Document,
  type DocumentKeys,
  type DocumentName,
  type DocumentSearch,
  Documents,
  type Put,
} from "./documents.js";
export type { CallOptions, Fetch } from "./door.js";
export * from "./errors.js";
export { type FileCall, type FileCommand, type FileNames, Files } from "./files.js";
export {
  type Append,
  type Appended,
  ItemLog,
  type ItemLogSummary,
  type ItemsRead,
  type Json,
  type LogItem,
  type Read,
  type TakeBack,
  type TakenBack,
} from "./items.js";
export type { Message, Messages } from "./messages.js";
export type { Names } from "./place.js";
export { type Calls, type Clock, Retries } from "./retries.js";
export type { Answer, Arguments, ToolName } from "./tools.js";
export { VERSION } from "./version.js";
