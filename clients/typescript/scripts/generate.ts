/** Write src/openapi.ts and src/schemas.ts from an OpenAPI document on standard input; with --check, compare them. */

import { readFile, writeFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import { withoutSubject } from "../src/place.ts";

const HEAD = "// Written by `make typescript ARGS=--generate` from what the server's /openapi.json says of tools.\n\n";
/** What a model is given as tools. */
const OFFERED = ["recall", "remember", "forget"];

interface Schema {
  properties: Record<string, unknown>;
  required?: string[];
}

interface Operation {
  description: string;
  requestBody: { content: { "application/json": { schema: Schema; example?: unknown } } };
  responses: Record<string, unknown>;
}

type Document = OpenAPI3 & { paths: Record<string, { post?: Operation }> };

/** Leave out what no type of the client is made of: other paths than those of tools, examples, and errors. */
function ofTools(document: Document): OpenAPI3 {
  const tools = Object.entries(document.paths).filter(([path]) => path.startsWith("/v1/tools/"));
  for (const [, { post }] of tools) {
    if (!post) continue;
    delete post.requestBody.content["application/json"].example;
    post.responses = { 200: post.responses[200] };
  }
  return { ...document, paths: Object.fromEntries(tools) };
}

/** Return what models are told of a tool: all but whose memory it is about, which is not theirs to say. */
function offered(document: Document, name: string): [string, object] {
  const post = document.paths[`/v1/tools/${name}`]?.post;
  if (!post) throw new Error(`There is no tool ${name}`);
  const { schema } = post.requestBody.content["application/json"];
  const properties = withoutSubject(schema.properties);
  const required = schema.required?.filter((field) => field in properties) ?? [];
  const description = post.description.replace(/\n\nScope: .*$/, "");
  return [name, { description, inputSchema: { ...schema, properties, ...(required.length > 0 && { required }) } }];
}

async function written(document: Document): Promise<Record<string, string>> {
  const schemas = JSON.stringify(Object.fromEntries(OFFERED.map((name) => offered(document, name))), null, 2);
  const types = astToString(await openapiTS(ofTools(document), { defaultNonNullable: false }));
  const typed = `Record<${OFFERED.map((name) => `"${name}"`).join(" | ")}, { description: string; inputSchema: object }>`;
  return { "openapi.ts": HEAD + types, "schemas.ts": `${HEAD}export const SCHEMAS: ${typed} = ${schemas};\n` };
}

for (const [name, content] of Object.entries(await written(JSON.parse(await text(process.stdin))))) {
  const target = new URL(`../src/${name}`, import.meta.url);
  if (!process.argv.includes("--check")) await writeFile(target, content);
  else if ((await readFile(target, "utf8").catch(() => "")) !== content) {
    console.error(`src/${name} is not what the tools say: run \`make typescript ARGS=--generate\``);
    process.exitCode = 1;
  }
}
