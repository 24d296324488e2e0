import { deepStrictEqual } from "node:assert/strict";
import type { Context } from "fresh";
import { readList } from "./long_list.ts";
import type { State } from "./state.ts";

function contextFrom(hostname: string): Context<State> {
  return {
    req: new Request("http://localhost/"),
    info: { remoteAddr: { transport: "tcp", hostname, port: 1 } },
    state: { services: { config: { trustedProxies: 0 } } },
  } as unknown as Context<State>;
}

Deno.test("one long list at a time is read for an address or a /48 network, and short ones do not wait", async () => {
  const read: string[] = [];
  const gate = Promise.withResolvers<void>();
  const extents = { long: { limit: 101 }, search: { limit: 1, query: "a" }, short: { limit: 100, query: " " } };
  const lists = ([
    ["192.0.2.1", "long", true],
    ["192.0.2.1", "search", false],
    ["192.0.2.1", "short", true],
    ["2001:db8:1:1::1", "search", true],
    ["2001:db8:1:2::1", "search", false],
    ["2001:db8:2:1::1", "search", true],
    ["192.0.2.2", "search", true],
    // The fifth at once.
    ["192.0.2.3", "search", false],
  ] as const).map(([hostname, extent, isRead]) => {
    const name = `${hostname} ${extent}`;
    const result = readList(contextFrom(hostname), extents[extent], async () => {
      read.push(name);
      await gate.promise;
    });
    return { name, isRead, result };
  });
  await new Promise((resolve) => setTimeout(resolve));
  deepStrictEqual(read, lists.filter(({ isRead }) => isRead).map(({ name }) => name));
  gate.resolve();
  await Promise.all(lists.map(({ result }) => result));
  deepStrictEqual(read.length, lists.length);
});
