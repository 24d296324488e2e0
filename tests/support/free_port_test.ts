import { deepStrictEqual, notStrictEqual, strictEqual } from "node:assert/strict";
import { freePort } from "./free_port.ts";

/** The same module once more, as another test file has it. */
const other = await import("./free_port.ts?other");
const PORTS = 40;

Deno.test("a port is not returned twice, to one test file or to two", () => {
  const ports = Array.from({ length: PORTS }, () => [freePort(), other.freePort()]).flat();
  strictEqual(new Set(ports).size, 2 * PORTS);
});

Deno.test("a port in use is not returned", () => {
  const port = freePort();
  using _server = Deno.listen({ hostname: "127.0.0.1", port: port + 1 });
  notStrictEqual(freePort(), port + 1);
});

Deno.test("ports are below those of outgoing connections", () => {
  deepStrictEqual([freePort(), other.freePort()].filter((port) => port < 20_000 || port >= 32_768), []);
});
