// The memory of OpenCode's sessions: tells Cairn's server what happens in them, and adds what matters of the past to
// each prompt. Where the server is not reached in time, OpenCode goes on without it; a line in OpenCode's log says so.
// It speaks in the form of Claude Code's hooks; `cairn/hooks/opencode.py` reads it.

import { readFile, stat } from "node:fs/promises"
import { homedir } from "node:os"
import { basename, dirname, isAbsolute, join, resolve } from "node:path"
import zlib from "node:zlib"

const MOST_MILLISECONDS = 5000
const MOST_CHARACTERS = 4000 // of what a tool was given, and of what it gave: the server keeps less
const NEWEST_USES = 20 // of tools that are told of a turn: the server keeps no more
const NEWEST_MESSAGES = 20 // among which the answer to a prompt is looked for
const LOOPBACK = ["127.0.0.1", "[::1]", "localhost"]

export const Cairn = async ({ client, directory }) => {
  const turns = new Map() // by session: the newest prompt, what memory says to it, and what tools did since
  const compacting = new Set()
  const asked = new Map() // by session: whether another agent speaks in it
  const sending = new Set()

  const warn = (problem) =>
    client.app.log({ body: { service: "cairn", level: "warn", message: `Cairn: ${problem}` } }).catch(() => {})
  const send = (events) => track(sending, tell(directory, events).catch((error) => warn(error.message).then(() => "")))
  const belongsToAgent = async (id) => {
    if (!asked.has(id)) asked.set(id, Boolean((await client.session.get({ path: { id } })).data?.parentID))
    return asked.get(id)
  }
  const messages = async (id) =>
    (await client.session.messages({ path: { id }, query: { limit: NEWEST_MESSAGES } })).data ?? []

  const prompted = async ({ sessionID }, { message, parts }) => {
    const prompt = said(parts)
    compacting.delete(sessionID)
    if (!prompt || (await belongsToAgent(sessionID))) return
    const turn = { id: message.id, uses: [], context: "" }
    turns.set(sessionID, turn)
    turn.context = await send([{ ...named("UserPromptSubmit", sessionID, turn), prompt }])
  }
  const answered = async (sessionID) => {
    const turn = turns.get(sessionID)
    if (!turn) return
    turns.delete(sessionID)
    const answers = (await messages(sessionID))
      .filter(({ info }) => info.id > turn.id && info.role === "assistant" && !info.summary)
      .map(({ parts }) => said(parts))
    const used = { ...named("PostToolBatch", sessionID, turn), tool_calls: turn.uses.slice(-NEWEST_USES) }
    const ended = { ...named("Stop", sessionID, turn), last_assistant_message: answers.findLast(Boolean) ?? "" }
    await send(turn.uses.length ? [used, ended] : [ended])
  }
  const compacted = async (sessionID) => {
    compacting.delete(sessionID)
    if (await belongsToAgent(sessionID)) return
    const summary = (await messages(sessionID)).findLast(({ info }) => info.summary === true)
    if (summary) await send([{ ...named("PostCompact", sessionID), compact_summary: said(summary.parts) }])
  }
  const quietly = (happen) => (...told) => track(sending, happen(...told).catch((error) => warn(error.name)))

  return {
    "chat.message": quietly(prompted),
    "experimental.chat.system.transform": quietly(async ({ sessionID }, { system }) => {
      const context = turns.get(sessionID)?.context
      if (context && !compacting.has(sessionID)) system.push(context) // which a summary would repeat
    }),
    "tool.execute.after": quietly(async ({ tool, sessionID, callID, args }, { output }) => {
      const use = { tool_name: tool, tool_use_id: callID, tool_input: short(args), tool_response: short(output) }
      turns.get(sessionID)?.uses.push(use)
    }),
    "experimental.session.compacting": quietly(async ({ sessionID }) => compacting.add(sessionID)),
    event: quietly(async ({ event }) => {
      if (event.type === "session.idle") await answered(event.properties.sessionID)
      if (event.type === "session.compacted") await compacted(event.properties.sessionID)
    }),
    dispose: async () => {
      await Promise.allSettled([...sending])
    },
  }
}

/** Return an event without what happened. */
function named(name, session, turn) {
  return { hook_event_name: name, session_id: session, ...(turn ? { turn_id: turn.id } : {}) }
}

/** Keep a promise among others until it is settled. */
function track(promises, promise) {
  promises.add(promise)
  return promise.finally(() => promises.delete(promise))
}

/** Return the text of a message, without what OpenCode itself added to it. */
function said(parts) {
  const texts = parts.filter((part) => part.type === "text" && !part.synthetic && !part.ignored)
  return texts.map((part) => part.text).join("\n").trim()
}

/** Return a value of JSON, or as much of its text as is sent. */
function short(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? ""
  return text.length > MOST_CHARACTERS ? text.slice(0, MOST_CHARACTERS) : value
}

/** Tell the server what happened, in this order and in time; return what it adds to a prompt. */
async function tell(directory, events) {
  const { url, key, project, user } = await server()
  const signal = AbortSignal.timeout(MOST_MILLISECONDS)
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "x-cairn-project": project ?? (await projectOf(directory)),
    ...(user ? { "x-cairn-user": user } : {}),
  }
  let context = ""
  for (const event of events) {
    const body = JSON.stringify({ ...event, cwd: directory })
    const answer = await fetch(`${url}/v1/hooks/opencode`, { method: "POST", headers, body, signal, redirect: "error" })
    const refused = answer.headers.get("x-cairn-refused") ?? (answer.ok ? null : answer.status)
    if (refused !== null) throw new Error(`${url} refused ${event.hook_event_name}: HTTP ${refused}`)
    context = (await answer.json()).hookSpecificOutput?.additionalContext ?? ""
  }
  return context
}

/** Return what the client file says, or the environment in its place. */
async function server() {
  const { env } = process
  const chosen = env.XDG_CONFIG_HOME ?? ""
  const path = join(isAbsolute(chosen) ? chosen : join(homedir(), ".config"), "cairn", "client.json")
  const stored = env.CAIRN_URL && env.CAIRN_KEY ? {} : parsed(path, await readFile(path, "utf8"))
  const url = (env.CAIRN_URL || stored.url).replace(/\/+$/, "")
  const { protocol, hostname } = new URL(url)
  if (protocol !== "https:" && !LOOPBACK.includes(hostname)) throw new Error(`${url} would get the key unencrypted`)
  return {
    url,
    key: env.CAIRN_KEY || stored.key,
    project: env.CAIRN_PROJECT || stored.project,
    user: env.CAIRN_USER || stored.user,
  }
}

/** Return a file's JSON; what is wrong with it is said without what is in it. */
function parsed(path, text) {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${path} is no JSON`)
  }
}

/** Return the project of a folder, as `cairn hook` names it (`cairn/local/hook/project_name.py`). */
async function projectOf(folder) {
  const holder = await holderOf(folder)
  const repository = holder === null ? [] : await originOf(join(holder, ".git")).then(lastParts).catch(() => [])
  return valid(repository) || valid([basename(holder ?? folder)]) || "default"
}

/** Return the folder above this one, or itself, that holds `.git`; null where none does. */
async function holderOf(folder) {
  if (await stat(join(folder, ".git")).catch(() => null)) return folder
  return dirname(folder) === folder ? null : holderOf(dirname(folder))
}

/** Return the address of the remote `origin`, also where `.git` is the file of a worktree or a submodule. */
async function originOf(git) {
  const linked = (await content(git)).split("gitdir:")[1]?.trim()
  const own = linked ? resolve(dirname(git), linked) : git
  const config = await content(join(resolve(own, (await content(join(own, "commondir"))).trim()), "config"))
  const remote = config.split(/^\s*(?=\[)/m).find((section) => /^\[\s*remote\s*"origin"\s*\]/.test(section)) ?? ""
  return /(?:^|\])[^\S\n]*url\s*=\s*"?(.*?)"?\s*(?:[#;][^"\n]*)?$/im.exec(remote)?.[1] ?? ""
}

const content = (path) => readFile(path, "utf8").catch(() => "")

/** Return the last two parts of an address's path, without `.git`. */
function lastParts(address) {
  const [, after] = /^[^/]*:\/\/[^/]*\/?(.*)$/.exec(address) ?? []
  const path = after === undefined ? /^[^/:]+:(.*)$/.exec(address)?.[1] ?? address : decodeURIComponent(after)
  const parts = path.replace(/\/$/, "").replace(/\.git$/, "").split("/")
  return parts.filter((part) => !["", ".", ".."].includes(part)).slice(-2)
}

/** Return parts as a project's name, "" where nothing is left of them. */
function valid(parts) {
  const most = parts.length > 1 ? 63 : 128
  return parts.map((part) => validPart(part, most)).filter(Boolean).join("/")
}

/** Return a part with `-` for what no name has; a check sum keeps apart what lost letters of other alphabets. */
function validPart(part, most) {
  const lost = /(?![A-Za-z0-9])[\p{L}\p{N}]/u.test(part)
  const mark = lost ? `-${zlib.crc32(part).toString(16).padStart(8, "0")}` : ""
  const name = part.replace(/[^A-Za-z0-9_.-]+/g, "-").slice(0, most - mark.length)
  const trimmed = (text) => text.replace(/^-+|-+$/g, "")
  return [".", ".."].includes(trimmed(name)) ? trimmed(mark) : trimmed(`${trimmed(name)}${mark}`)
}
