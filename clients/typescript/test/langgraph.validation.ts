/** LangGraph.js's validation suite over the saver: each of its tests has one, in a project of its own. */

import { CairnSaver } from "@cairn/client/langgraph";
import { validate } from "@langchain/langgraph-checkpoint-validation";
import { Server } from "./support/server.ts";

let server: Server;
let projects = 0;

validate({
  checkpointerName: "Cairn",
  async beforeAll() {
    server = await Server.start();
  },
  async afterAll() {
    await server.stop();
  },
  createCheckpointer: () => new CairnSaver({ cairn: server.cairn(), project: `validation-${++projects}` }),
});
