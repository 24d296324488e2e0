import { strictEqual } from "node:assert/strict";
import { namedResource } from "./resource_uri.ts";

const KNOWN = ["https://mcp.example", "https://api.example/Tools", "urn:api"];

Deno.test("scheme and host may have another case, and a lone final slash does not count", () => {
  for (const uri of ["https://mcp.example", "https://mcp.example/", "HTTPS://MCP.Example", "https://MCP.example/"]) {
    strictEqual(namedResource(uri, KNOWN), KNOWN[0], uri);
  }
  strictEqual(namedResource("https://API.example/Tools", KNOWN), KNOWN[1]);
  strictEqual(namedResource("urn:api", KNOWN), "urn:api");
  strictEqual(namedResource("https://mcp.example/", [...KNOWN, "https://mcp.example/"]), "https://mcp.example/");
});

Deno.test("everything else counts", () => {
  const others = [
    "https://mcp.example//",
    "https://mcp.example/?",
    "https://mcp.example:443",
    "https://mcp.example.evil.example",
    "https://api.example/tools",
    "https://api.example/Tools/",
    "http://mcp.example",
    "URN:API",
  ];
  for (const uri of others) strictEqual(namedResource(uri, KNOWN), uri);
});
