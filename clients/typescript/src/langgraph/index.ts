/** Memory for LangGraph.js: a checkpointer and a store, in documents. */

export { CairnSaver, type SaverOptions } from "./saver.js";
export { CairnStore, type StoreOptions } from "./store.js";
