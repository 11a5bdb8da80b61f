// openapi-mcp-generator: the tools of chosen operations; prints a JSON line.
// Arguments: description, a file of operationIds (one a line), the folder of node_modules.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { join } from "node:path";

const [description, wanted, modules] = process.argv.slice(2);
const { getToolsFromOpenApi } = await import(
  pathToFileURL(join(modules, "openapi-mcp-generator", "dist", "api.js")).href
);
const keep = new Set(readFileSync(wanted, "utf8").split(/\s+/).filter(Boolean));
const tools = await getToolsFromOpenApi(description, {
  baseUrl: "https://api.example.test",
  dereference: true,
  filterFn: (tool) => keep.has(tool.operationId),
});
const listed = tools.map((tool) => ({
  name: tool.name,
  description: tool.description,
  inputSchema: tool.inputSchema,
}));
const bytes = listed.reduce((sum, tool) => sum + Buffer.byteLength(JSON.stringify(tool)), 0);
console.log(JSON.stringify({ tools: listed.length, bytes }));
