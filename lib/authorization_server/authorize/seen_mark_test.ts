import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { readMark, type Seen, splitMark, withMark } from "./seen_mark.ts";

const AT = new Date("2026-03-01T12:00:00.500Z");
const HOUR_MS = 3_600_000;
const config = { appSecret: "a".repeat(32) } as Parameters<typeof readMark>[0]["config"];
const request = { client: { id: "app" }, state: "s" } as Parameters<typeof withMark>[2];
const QUERY = "client_id=app&state=s";

async function read(query: string, changes: {
  afterMs?: number;
  userId?: string | null;
  clientId?: string;
  state?: string | null;
  secrets?: { appSecret: string; previousAppSecrets?: string[] };
} = {}): Promise<Seen | null> {
  const { afterMs = 0, userId = "u", clientId = "app", state = "s", secrets = {} } = changes;
  const services = { config: { ...config, ...secrets }, now: () => new Date(AT.getTime() + afterMs) };
  const client = { ...request.client, id: clientId };
  return await readMark(services, splitMark(query).mark, { client, state, userId });
}

function marked(chosenBy: string | null = null, query = QUERY): Promise<string> {
  return withMark({ config }, query, { ...request, at: AT, chosenBy });
}

Deno.test("a mark says for an hour when a request was first seen", async () => {
  const query = await marked();
  match(query, /^client_id=app&state=s&seen=[0-9a-z]+\.[\w-]{43}$/);
  for (const afterMs of [0, HOUR_MS - 1]) deepStrictEqual(await read(query, { afterMs }), { at: AT, isChosen: false });
  for (const afterMs of [-1, HOUR_MS]) strictEqual(await read(query, { afterMs }), null);
});

Deno.test("a mark is bound to the app, the state and the secret", async () => {
  const query = await marked();
  for (const changes of [{ clientId: "other" }, { state: "t" }, { state: null }, { secrets: { appSecret: "b" } }]) {
    strictEqual(await read(query, changes), null, JSON.stringify(changes));
  }
  const previousAppSecrets = [config.appSecret];
  deepStrictEqual(await read(query, { secrets: { appSecret: "b", previousAppSecrets } }), { at: AT, isChosen: false });
});

Deno.test("a choice of an account counts only for the person who made it", async () => {
  const query = await marked("u");
  deepStrictEqual(await read(query), { at: AT, isChosen: true });
  for (const userId of ["v", null]) strictEqual(await read(query, { userId }), null);
});

Deno.test("damaged marks count as none", async () => {
  const good = (await marked()).split("seen=")[1];
  const [time, mac] = good.split(".");
  const earlier = (parseInt(time, 36) - 1).toString(36);
  for (const mark of ["", ".", time, `${time}.`, `${earlier}.${mac}`, `${time}.${mac}A`, `${time}.${mac.slice(1)}`]) {
    strictEqual(await read(`${QUERY}&seen=${mark}`), null, mark);
  }
  strictEqual(await read(`${QUERY}&seen=${time}.${"*".repeat(43)}`), null);
});

Deno.test("a mark replaces those before it, and leaves the query as it was", async () => {
  const query = "seen=1&a=%20+&seen=2&unseen=3";
  deepStrictEqual(splitMark(query), { query: "a=%20+&unseen=3", mark: "1" });
  const again = await marked(null, await marked(null, query));
  match(again, /^a=%20\+&unseen=3&seen=[^&]+$/);
  deepStrictEqual(splitMark(""), { query: "", mark: null });
});
