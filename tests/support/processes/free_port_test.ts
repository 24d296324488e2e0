import { deepStrictEqual, notStrictEqual, strictEqual } from "node:assert/strict";

const PORTS = 40;
/** Both choose the same block at first. */
const numbers = Array.from({ length: 1000 }, () => Math.random());
const [{ freePort }, other] = [await loadModule("one"), await loadModule("other")];

/** Loads the module as another test file does. */
async function loadModule(name: string): Promise<typeof import("./free_port.ts")> {
  const { random } = Math;
  const left = numbers.values();
  Math.random = () => left.next().value!;
  return await import(`./free_port.ts?${name}`).finally(() => Math.random = random);
}

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
