"use strict";
// What was ever stored reaches the page through textContent and value alone, so that none of it can be markup.

const byId = (id) => document.getElementById(id);
const MOST = 500;
const FILTERED_FROM = 8;
const UNSURE_BELOW = 0.5;
const state = {
  given: {},
  known: null,
  may: new Set(),
  limit: undefined,
  isServed: false,
  locale: undefined,
  timeZone: undefined,
  tellsModel: false,
  changes: [],
};

// --- The host: JSON-RPC over postMessage -----------------------------------------------------------------------------

let lastId = 0;
const waiting = new Map();

function send(message) {
  window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

function ask(method, params) {
  const id = ++lastId;
  send({ id, method, params });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

window.addEventListener("message", ({ source, data }) => {
  if (source !== window.parent || data?.jsonrpc !== "2.0") return;
  if (data.method === undefined) return answered(data);
  const heard = NOTIFIED[data.method];
  if (data.id === undefined) return heard?.(data.params ?? {});
  const isKnown = data.method === "ping" || data.method === "ui/resource-teardown";
  send({ id: data.id, ...(isKnown ? { result: {} } : { error: { code: -32601, message: "Method not found" } }) });
});

function answered({ id, result, error }) {
  const asked = waiting.get(id);
  waiting.delete(id);
  if (error) asked?.reject(new Error(error.message));
  else asked?.resolve(result);
}

const NOTIFIED = {
  "ui/notifications/tool-input": ({ arguments: given }) => { state.given = given ?? {}; },
  "ui/notifications/tool-result": show,
  "ui/notifications/tool-cancelled": () => fail("This was stopped before anything was read."),
  "ui/notifications/host-context-changed": dress,
};

async function begin() {
  const told = await ask("ui/initialize", {
    protocolVersion: "2026-01-26",
    appInfo: { name: "cairn-memory", version: "1" },
    appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
  });
  state.isServed = Boolean(told.hostCapabilities?.serverTools);
  state.tellsModel = Boolean(told.hostCapabilities?.updateModelContext);
  dress(told.hostContext ?? {});
  send({ method: "ui/notifications/initialized", params: {} });
  new ResizeObserver(tellSize).observe(document.documentElement);
}

function dress({ theme, styles, locale, timeZone, safeAreaInsets: edges }) {
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (name.startsWith("--") && value) document.documentElement.style.setProperty(name, value);
  }
  if (edges) document.body.style.padding = `${edges.top}px ${edges.right}px ${edges.bottom}px ${edges.left}px`;
  state.locale = locale ?? state.locale;
  state.timeZone = timeZone ?? state.timeZone;
}

let toldHeight = 0;
function tellSize() {
  const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
  if (height === toldHeight) return;
  toldHeight = height;
  send({ method: "ui/notifications/size-changed", params: { height } });
}

// --- Memory: what is known, and what changes it ----------------------------------------------------------------------

async function call(name, given) {
  const { project, user_id } = state.given;
  const owner = { ...(project && { project }), ...(user_id && { user_id }) };
  const result = await ask("tools/call", { name, arguments: { ...owner, ...given } });
  if (result.isError) throw new Error(wordsOf(result));
  return result;
}

function wordsOf(result) {
  const said = result.structuredContent?.error?.message ?? result.content?.find((each) => each.type === "text")?.text;
  return said || "That did not work.";
}

async function refresh() {
  show(await call("memory_list_known", state.limit ? { limit: state.limit } : {}));
}

function show(result) {
  if (result.isError) return fail(wordsOf(result));
  const known = result.structuredContent ?? parsed(result.content?.[0]?.text);
  if (!Array.isArray(known?.facts)) return fail("What is known could not be read.");
  state.known = known;
  const may = result._meta?.["cairn/may"] ?? (state.may.size ? [...state.may] : ["forget", "memory_correct"]);
  state.may = new Set(state.isServed ? may : []);
  draw();
}

function parsed(text) {
  try { return JSON.parse(text); } catch { return null; }
}

/** Facts and kept memories in one shape, by subject; the latest first. */
function subjects(words) {
  const facts = state.known.facts.map((fact) => ({ ...fact, says: fact.value }));
  const kept = state.known.memories.map((memory) => {
    return { ...memory, says: memory.content, about: memory.type.replaceAll("_", " "), isKept: true };
  });
  const found = new Map();
  for (const entry of [...facts, ...kept]) {
    const text = `${entry.about} ${entry.says} ${entry.quote ?? ""}`.toLowerCase();
    if (!text.includes(words)) continue;
    const key = `${entry.isKept ? "kept" : "fact"} ${entry.about}`;
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(entry);
  }
  return [...found.values()];
}

/** Tell the model what was changed here, since it may have read what is known before. */
function noteChange(text) {
  state.changes.push(text);
  if (!state.tellsModel) return;
  const said = ["The user changed what memory holds of them, on its page:", ...state.changes].join("\n");
  ask("ui/update-model-context", { content: [{ type: "text", text: said }] }).catch(() => {});
}

// --- What is drawn ---------------------------------------------------------------------------------------------------

function make(tag, { text, on, ...properties } = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  if (text !== undefined) made.textContent = text;
  if (on) made.addEventListener("click", on);
  made.append(...children.filter(Boolean));
  return made;
}

function button(text, on, className = "", label = undefined) {
  const made = make("button", { type: "button", text, on, className });
  if (label) made.setAttribute("aria-label", label);
  return made;
}

function counted(number, one, many) {
  return `${number} ${number === 1 ? one : many}`;
}

function dated(moment) {
  const form = { dateStyle: "medium" };
  try {
    return new Intl.DateTimeFormat(state.locale, { ...form, timeZone: state.timeZone }).format(new Date(moment));
  } catch {
    return new Intl.DateTimeFormat(undefined, form).format(new Date(moment));
  }
}

function draw() {
  const { facts, memories, more } = state.known;
  const who = state.given.user_id;
  byId("title").textContent = who ? `What Cairn knows of ${who}` : "What Cairn knows of you";
  const count = facts.length + memories.length;
  const told = facts.length && counted(facts.length, "fact", "facts");
  const kept = memories.length && counted(memories.length, "note kept by agents", "notes kept by agents");
  byId("summary").textContent = [told, kept].filter(Boolean).join(" and ") || "Nothing yet";
  byId("filter").hidden = count < FILTERED_FROM;
  const words = byId("filter").hidden ? "" : byId("filter").value.trim().toLowerCase();
  const found = subjects(words).map(drawSubject);
  const none = "Nothing is known yet. What you tell agents of yourself appears here.";
  const empty = words ? "Nothing of that is known." : none;
  byId("subjects").replaceChildren(...(found.length ? found : [make("p", { className: "empty", text: empty })]));
  byId("subjects").removeAttribute("aria-busy");
  drawMore(count, more);
}

function drawMore(count, more) {
  byId("more").hidden = !more;
  const shown = more > 0 && state.isServed && !state.limit && button("Show more", showMore, "link");
  byId("more").replaceChildren(`${more} more. `, ...(shown ? [shown] : []));
}

async function showMore() {
  state.limit = MOST;
  await refresh().catch((error) => notice(error.message));
  byId("title").focus();
}

function drawSubject(entries) {
  const list = make("ul", {}, ...entries.map(drawEntry));
  return make("section", {}, make("h2", { dir: "auto", text: entries[0].about }), list);
}

function drawEntry(entry) {
  const item = make("li");
  item.dataset.id = entry.id;
  const isSaid = !entry.isKept && entry.quote === entry.says;
  const value = make("div", { className: isSaid ? "value said" : "value", dir: "auto", text: entry.says });
  item.append(make("div", {}, value, drawAbout(entry, isSaid)), drawActions(entry, item));
  return item;
}

/** Say where an entry comes from: the sentence, unless it is the entry itself, the day, and where it holds. */
function drawAbout(entry, isSaid) {
  const sentence = entry.quote && !isSaid && make("q", { dir: "auto", text: entry.quote });
  const quote = sentence && make("span", { className: "quote" }, sentence);
  const day = make("time", { dateTime: entry.since, text: dated(entry.since) });
  const more = [
    entry.isKept && "kept by an agent",
    entry.pinned && "always told",
    entry.everywhere && "in every project",
    entry.confidence < UNSURE_BELOW && "not sure",
  ];
  const parts = [quote, day, ...more.map((text) => text && make("span", { text }))].filter(Boolean);
  return make("p", { className: "about" }, ...parts.flatMap((part) => [part, " "]));
}

function drawActions(entry, item) {
  const offered = [
    ["memory_correct", "Wrong", askCorrection, "Correct"],
    ["forget", "Forget", askForget, "Forget"],
  ];
  const shown = offered.filter(([tool]) => state.may.has(tool));
  const buttons = shown.map(([, text, on, verb]) => button(text, () => on(entry, item), "", `${verb}: ${entry.says}`));
  return make("div", { className: "actions" }, ...buttons);
}

/** Open a panel in an entry, one at a time; Escape closes it and gives the focus back. */
function openPanel(item, label, ...content) {
  document.querySelector(".asked")?.remove();
  const opener = document.activeElement;
  const panel = make("div", { className: "asked" }, ...content);
  panel.setAttribute("role", "group");
  panel.setAttribute("aria-label", label);
  const close = () => { panel.remove(); opener?.focus(); };
  panel.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
  item.append(panel);
  return { panel, close };
}

function askForget(entry, item) {
  const yes = button("Forget it", () => work(panel, () => forget(entry)), "danger");
  const no = button("Keep", () => close(), "plain");
  const words = make("p", { text: "Agents will not be told of this any more." });
  const { panel, close } = openPanel(item, `Forget: ${entry.says}`, words, make("div", {}, yes, no));
  no.focus();
}

function askCorrection(entry, item) {
  const field = make("textarea", { value: entry.says, dir: "auto", rows: 1, maxLength: 2000, id: "correction" });
  const label = make("label", { htmlFor: "correction", text: "What holds instead?" });
  const save = () => {
    const content = field.value.trim();
    if (!content || content === entry.says) return field.focus();
    return work(panel, () => correct(entry, content));
  };
  const no = button("Cancel", () => close(), "plain");
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    save();
  });
  const choices = make("div", {}, button("Save", save, "main"), no);
  const { panel, close } = openPanel(item, `Correct: ${entry.says}`, label, field, choices);
  field.focus();
  field.select();
}

/** Do what a panel asks; until it is done nothing can be asked twice, and if it fails the panel says why. */
async function work(panel, doing) {
  const controls = [...panel.querySelectorAll("button, textarea")];
  for (const each of controls) each.disabled = true;
  panel.setAttribute("aria-busy", "true");
  panel.querySelector(".failed")?.remove();
  try {
    await doing();
  } catch (error) {
    for (const each of controls) each.disabled = false;
    panel.removeAttribute("aria-busy");
    const said = make("p", { className: "failed", text: error.message });
    said.setAttribute("role", "alert");
    panel.append(said);
    controls[0].focus();
  }
}

async function forget(entry) {
  await call("forget", { memory_id: entry.id, reason: "The user asked for it on the page of what is known." });
  noteChange(`- forgotten: ${JSON.stringify(entry.says)}`);
  await settle(`Forgotten: ${entry.says}`, entry);
}

async function correct(entry, content) {
  await call("memory_correct", { memory_id: entry.id, content });
  noteChange(`- ${JSON.stringify(entry.says)} is wrong; it is ${JSON.stringify(content)}`);
  await settle(`Corrected: ${content}`, entry);
}

async function restore(entry) {
  await call("memory_restore", { memory_id: entry.id });
  noteChange(`- holds again: ${JSON.stringify(entry.says)}`);
  await settle(`Restored: ${entry.says}`);
}

/** Show what memory holds now, say what was done and offer to undo it. */
async function settle(text, undone = undefined) {
  const undo = undone && state.may.has("memory_restore") && button("Undo", (event) => {
    event.target.disabled = true;
    restore(undone).catch((error) => notice(error.message));
  }, "link");
  notice(text, undo);
  await refresh().catch(() => notice(`${text}. What is shown may be out of date.`, undo));
  (undo || byId("title")).focus();
}

function notice(text, ...more) {
  byId("notice").replaceChildren(make("span", { dir: "auto", text }), ...more.filter(Boolean));
}

function fail(text) {
  byId("summary").textContent = text;
  byId("subjects").removeAttribute("aria-busy");
}

byId("filter").addEventListener("input", draw);
begin().catch((error) => fail(error.message));
