/** A server's tools over HTTP, with an API key. */

import { errorOf, InvalidArgument, Unavailable } from "./errors.js";
import { VERSION } from "./version.js";

export type Fetch = typeof globalThis.fetch;

/** How one call goes: when it is given up, and who may end it. */
export interface CallOptions {
  /** Ends the call; it may have been done all the same. */
  readonly signal?: AbortSignal | undefined;
  /** How long one try may take, 30 seconds unless told. */
  readonly timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 30_000;
const LOOPBACK = new Set(["127.0.0.1", "[::1]", "localhost"]);
const ENDPOINTS = ["/mcp/agent", "/mcp/hooks", "/mcp", "/v1/tools"];

/** Calls the tools of a server; redirects are errors, and nothing shows the key. */
export class Door {
  /** The server's address. */
  readonly where: string;
  readonly #key: string;
  readonly #fetch: Fetch;

  /** Take the address of a server, or of its MCP endpoint, and the key that it is shown. */
  constructor(url: string, key: string, fetch: Fetch = globalThis.fetch) {
    this.where = baseOf(url);
    this.#key = checked(key);
    this.#fetch = fetch;
  }

  /** Return the tool's answer; Unavailable where none came, and then the call may have been done. */
  async call(tool: string, args: unknown, { signal, timeoutMs = TIMEOUT_MS }: CallOptions = {}): Promise<unknown> {
    signal?.throwIfAborted();
    const late = AbortSignal.timeout(timeoutMs);
    const either = signal ? AbortSignal.any([signal, late]) : late;
    const request = { method: "POST", body: encoded(args), headers: this.#headers(), redirect: "error" } as const;
    let answer: Response;
    let body: string;
    try {
      answer = await this.#fetch(`${this.where}/v1/tools/${tool}`, { ...request, signal: either });
      body = await answer.text();
    } catch (error) {
      signal?.throwIfAborted();
      throw new Unavailable(`${this.where} gave no answer: ${late.aborted ? "TimeoutError" : nameOf(error)}`);
    }
    if (answer.status !== 200) throw errorOf(answer.status, answer.headers, body);
    return parsed(body, this.where);
  }

  #headers(): Record<string, string> {
    const told = { "content-type": "application/json", "user-agent": `cairn-typescript/${VERSION}` };
    return { ...told, authorization: `Bearer ${this.#key}` };
  }
}

/** Return the address before the paths of tools; InvalidArgument where it is none of HTTP. */
function baseOf(url: string): string {
  const trimmed = url.replace(/\/+$/, "");
  const end = ENDPOINTS.find((each) => trimmed.endsWith(each)) ?? "";
  const address = trimmed.slice(0, trimmed.length - end.length);
  const parts = URL.canParse(address) ? new URL(address) : undefined;
  if (!parts || !/^https?:$/.test(parts.protocol) || parts.search || parts.hash || parts.username || parts.password) {
    throw InvalidArgument.of("url", "must be one such as https://example.com");
  }
  if (parts.protocol === "http:" && !LOOPBACK.has(parts.hostname)) warn(parts.hostname);
  return address;
}

/** Say in Node.js, Bun and Deno that a key goes out without encryption. */
function warn(host: string): void {
  const { process } = globalThis as { process?: { emitWarning?: (text: string) => void } };
  process?.emitWarning?.(`Cairn's key goes to ${host} without encryption: use https://`);
}

function checked(key: string): string {
  if (!/^[\x21-\x7e]+$/.test(key)) throw InvalidArgument.of("key", "must be an API key: `cairn keys create` makes one");
  return key;
}

function encoded(args: unknown): string {
  try {
    return JSON.stringify(args);
  } catch (error) {
    throw InvalidArgument.of("arguments", `must hold JSON values alone (${nameOf(error)})`);
  }
}

function parsed(body: string, where: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new Unavailable(`${where} answered something that is no JSON`);
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "unknown";
}
