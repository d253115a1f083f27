/** LangGraph.js's validation suite runs by Vitest alone; all other tests run by Node.js. */
export default { test: { globals: true, include: ["test/langgraph.validation.ts"] } };
