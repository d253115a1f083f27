/** A real `cairn serve` on loopback over a new directory, stopped by its pid. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Cairn, type Names } from "@cairn/client";

const PROGRAM = process.env.CAIRN_PROGRAM ?? new URL("../../../../.venv/bin/cairn", import.meta.url).pathname;
const URL_OF_MCP = /(http:\/\/127\.0\.0\.1:\d+)\/mcp/;

export class Server {
  readonly url: string;
  readonly key: string;
  readonly #process: ChildProcess;
  readonly #home: string;

  private constructor(url: string, key: string, process: ChildProcess, home: string) {
    this.url = url;
    this.key = key;
    this.#process = process;
    this.#home = home;
  }

  /** Start a server whose key opens all projects, for whomever a call names. */
  static async start(): Promise<Server> {
    const home = await mkdtemp(join(tmpdir(), "cairn-typescript-"));
    const env = environment(home);
    const key = made(home);
    const stdio: ["ignore", "pipe", "inherit"] = ["ignore", "pipe", "inherit"];
    const started = spawn(PROGRAM, ["serve", "--port", "0", "--data", home, "--quiet"], { env, stdio });
    // What ends this process early must not leave the server behind.
    process.once("exit", () => started.kill());
    for await (const line of createInterface(started.stdout)) {
      const [, url] = URL_OF_MCP.exec(line) ?? [];
      if (url) return new Server(url, key, started, home);
    }
    throw new Error("cairn serve did not start");
  }

  cairn(names: Names = {}): Cairn {
    return new Cairn({ url: this.url, key: this.key, project: "garden", ...names });
  }

  /** Return a new key that speaks for one user, in one project. */
  keyOf(user: string): string {
    return made(this.#home, "--project", "garden", "--user", user);
  }

  async stop(): Promise<void> {
    this.#process.kill("SIGTERM");
    if (this.#process.exitCode === null) await once(this.#process, "exit");
    await rm(this.#home, { recursive: true });
  }
}

/** Words alone find what these tests look for. */
function environment(home: string): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: home, CAIRN_EMBEDDING_EMBEDDER: "none" };
}

/** Make a key and return it. */
function made(home: string, ...options: string[]): string {
  const command = ["keys", "create", "--data", home, ...options];
  const text = execFileSync(PROGRAM, command, {
    env: environment(home),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [key] = /cairn_\S+/.exec(text) ?? [];
  if (!key) throw new Error("cairn keys create made no key");
  return key;
}

/** What a scripted server answers to one request. */
export interface Scripted {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body: unknown;
}

/** Serve answers in their order on loopback, and keep what was asked. */
export async function scripted(answers: readonly Scripted[]) {
  const asked: { path: string; headers: NodeJS.Dict<string | string[]>; body: unknown }[] = [];
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray();
    const { url: path = "", headers } = request;
    asked.push({ path, headers, body: JSON.parse(Buffer.concat(chunks).toString()) });
    const { status = 200, headers: more, body } = answers[Math.min(asked.length, answers.length) - 1] ?? { body: "" };
    response.writeHead(status, { "content-type": "application/json", ...more });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  return { url, asked, close: () => server.close() };
}
