// Plays the story of a user with mem0's own client, and prints what it was told, as JSON.
import { MemoryClient } from "mem0ai";

const [host, apiKey, user] = process.argv.slice(2);
const client = new MemoryClient({ apiKey, host });
const ada = { filters: { user_id: user } };
const said = (content) => [{ role: "user", content }];

async function failing(ask) {
  try {
    await ask();
    return null;
  } catch (error) {
    return [error.name, error.errorCode ?? null];
  }
}

await client.ping();
const first = await client.add(said("My name is Ada. I live in Oslo."), {
  userId: user,
  runId: "monday",
  metadata: { some_key: { deepKey: 1 } },
});
const second = await client.add(said("I moved to Lisbon."), { userId: user, runId: "tuesday" });
const found = await client.search("Where does she live?", { ...ada, topK: 3 });
const all = await client.getAll({ ...ada, page: 1, pageSize: 1 });
const id = found.results[0].id;
const updated = await client.update(id, { text: "Lives in Porto" });
const got = await client.get(id);
const history = await client.history(id);
const users = await client.users({ page: 1, pageSize: 10 });
const filtered = await client.getAll({ filters: { AND: [{ user_id: user }, { metadata: { some_key: "*" } }] } });
const refused = {
  absent: await failing(() => client.get("nope")),
  nobody: await failing(() => client.add(said("x"))),
  key: await failing(() => new MemoryClient({ apiKey: "nope", host }).ping()),
};
const lacking = {
  feedback: () => client.feedback({ memoryId: id }),
  getProject: () => client.getProject({}),
  updateProject: () => client.updateProject({ customInstructions: "x" }),
  getWebhooks: () => client.getWebhooks(),
  createWebhook: () => client.createWebhook({ name: "a", url: "b", eventTypes: [] }),
  updateWebhook: () => client.updateWebhook({ webhookId: "1" }),
  deleteWebhook: () => client.deleteWebhook({ webhookId: "1" }),
  getProfile: () => client.getProfile({ entityId: user }),
  generateProfile: () => client.generateProfile({ entityId: user }),
  getProfileSettings: () => client.getProfileSettings(),
  updateProfileSettings: () => client.updateProfileSettings({ enabled: true }),
  sampleProfiles: () => client.sampleProfiles(),
  getProfileJob: () => client.getProfileJob("1"),
  createMemoryExport: () => client.createMemoryExport({ schema: {}, filters: {} }),
  getMemoryExport: () => client.getMemoryExport({ filters: {} }),
};
for (const [name, ask] of Object.entries(lacking)) refused[name] = await failing(ask);
await client.batchUpdate([{ memoryId: id, text: "Lives in Rome" }]);
const batched = await client.get(id);
await client.batchDelete([id]);
const gone = await failing(() => client.get(id));
await client.delete((await client.getAll(ada)).results[0].id);
await client.add(said("I like tea."), { userId: user });
await client.deleteAll({ userId: user });
const none = await client.getAll(ada);
await client.add(said("I like tea."), { userId: user });
await client.deleteUser({ entity_id: user, entity_type: "user" });
await client.add(said("I like tea."), { userId: user });
await client.deleteUsers();
const nobody = await client.users();

const own = Object.getOwnPropertyNames(MemoryClient.prototype);
const methods = own.filter((name) => !name.startsWith("_") && name !== "constructor");
console.log(
  JSON.stringify({ first, second, found, all, updated, got, history, users, filtered, refused, batched, gone, none, nobody, methods }),
);
