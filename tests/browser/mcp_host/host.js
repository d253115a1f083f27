// A chat client as MCP Apps has it: the SDK's client, the AppBridge of its extension, and a sandbox of another origin.
// It asks the tool that has a page, shows the page with the answer, and keeps to what the specification asks of hosts.
import {
  AppBridge,
  PostMessageTransport,
  RESOURCE_MIME_TYPE,
  getToolUiResourceUri,
  isToolVisibilityAppOnly,
  isToolVisibilityModelOnly,
} from "@modelcontextprotocol/ext-apps/app-bridge";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const options = new URLSearchParams(location.search);
const about = { name: "Chat", version: "1.0.0" };
const record = { calls: [], refused: [], context: [], sizes: [], tools: [], errors: [] };
window.record = record;

async function connect() {
  const capabilities = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [RESOURCE_MIME_TYPE] } } };
  const client = new Client(about, { capabilities, versionNegotiation: { mode: options.get("era") } });
  const headers = { authorization: `Bearer ${options.get("key")}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(options.get("mcp")), { requestInit: { headers } }));
  return client;
}

function open(frame) {
  const ready = new Promise((resolve) => {
    window.addEventListener("message", function heard({ source, data }) {
      if (source !== frame.contentWindow || data?.method !== "ui/notifications/sandbox-proxy-ready") return;
      window.removeEventListener("message", heard);
      resolve();
    });
  });
  frame.src = options.get("sandbox");
  return ready;
}

function bridged(client) {
  const offered = { serverTools: {}, updateModelContext: { text: {} } };
  const context = { theme: options.get("theme"), locale: "en-GB", timeZone: "Europe/Oslo", displayMode: "inline" };
  const bridge = new AppBridge(client, about, offered, { hostContext: context });
  bridge.onsizechange = ({ height }) => {
    record.sizes.push(height);
    document.getElementById("view").style.height = `${height}px`;
  };
  bridge.onupdatemodelcontext = async (params) => {
    record.context.push(params);
    return {};
  };
  window.theme = (theme) => {
    document.documentElement.dataset.theme = theme;
    bridge.setHostContext({ ...context, theme });
  };
  return bridge;
}

/** Let the page call what is listed for pages, and nothing else, as hosts must. */
function guard(bridge, tools) {
  const forward = bridge.oncalltool;
  bridge.oncalltool = async (params, extra) => {
    const tool = tools.find((each) => each.name === params.name);
    if (!tool || isToolVisibilityModelOnly(tool)) {
      record.refused.push(params.name);
      throw new Error(`Pages may not call ${params.name}`);
    }
    record.calls.push(params);
    return forward(params, extra);
  };
}

async function main() {
  document.documentElement.dataset.theme = options.get("theme");
  const client = await connect();
  record.version = client.getNegotiatedProtocolVersion();
  const { tools } = await client.listTools();
  record.tools = tools.filter((each) => !isToolVisibilityAppOnly(each)).map((each) => each.name);
  const tool = tools.find((each) => getToolUiResourceUri(each));
  const { contents: [page] } = await client.readResource({ uri: getToolUiResourceUri(tool) });
  if (page.mimeType !== RESOURCE_MIME_TYPE) throw new Error(`No page: ${page.mimeType}`);
  const frame = document.getElementById("view");
  await open(frame);
  const bridge = bridged(client);
  const initialized = new Promise((resolve) => { bridge.oninitialized = resolve; });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  guard(bridge, tools);
  await bridge.sendSandboxResourceReady({ html: page.text, csp: page._meta.ui.csp });
  await initialized;
  const given = JSON.parse(options.get("arguments"));
  await bridge.sendToolInput({ arguments: given });
  await bridge.sendToolResult(await client.callTool({ name: tool.name, arguments: given }));
}

main().catch((error) => record.errors.push(String(error.stack ?? error)));
