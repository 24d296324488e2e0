import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { configWarnings, readSettings } from "../config/config.ts";
import { readClientsFile } from "./load_clients.ts";

const HASH = `sha256:${"0a".repeat(32)}`;

/** Reads the settings with a file of clients. */
async function read(clients: object[], env: Record<string, string> = {}) {
  const path = await Deno.makeTempFile({ suffix: ".json" });
  try {
    const content = clients.map((client, index) => ({ client_id: `app${index}`, client_name: "App", ...client }));
    await Deno.writeTextFile(path, JSON.stringify({ clients: content }));
    const check = await readClientsFile(path);
    return () => readSettings({ CLIENTS_FILE: path, ...env }, check);
  } finally {
    await Deno.remove(path);
  }
}

Deno.test("without CLIENTS_FILE there are no registrations", () => {
  strictEqual(readSettings({}).registrations, null);
});

Deno.test("clients get the settings of the service", async () => {
  const env = { ACCESS_TTL_SECONDS: "600", TOKEN_AUDIENCES: "https://wiki.example.com" };
  const settings = (await read([{ resources: ["https://wiki.example.com"] }, { access_ttl: 60 }], env))();
  const { clients, resources } = settings.registrations!;
  deepStrictEqual([...clients.values()].map(({ accessTtlSeconds }) => accessTtlSeconds), [600, 60]);
  deepStrictEqual([...resources.keys()], ["https://wiki.example.com"]);
  deepStrictEqual(configWarnings(settings), []);
});

Deno.test("the mark with which editors on Windows begin a file is skipped", async () => {
  const path = await Deno.makeTempFile({ suffix: ".json" });
  await Deno.writeTextFile(path, '\ufeff{"clients": [{"client_id": "wiki", "client_name": "Wiki"}]}');
  const settings = readSettings({ CLIENTS_FILE: path }, await readClientsFile(path));
  await Deno.remove(path);
  deepStrictEqual([...settings.registrations!.clients.keys()], ["wiki"]);
});

Deno.test("one message lists the problems of the environment and of the file", async () => {
  const settings = await read([{ first_party: "yes" }, { access_ttl: 1 }], { PORT: "x" });
  throws(settings, (error: Error) => {
    const [, port, ...lines] = error.message.split("\n");
    ok(port.startsWith("- PORT: "), port);
    deepStrictEqual(lines, [
      "- CLIENTS_FILE: clients[0].first_party: must be true or false",
      "- CLIENTS_FILE: clients[1].access_ttl: must be a whole number from 60 to 3600",
    ]);
    return true;
  });
});

Deno.test("a file that cannot be read is a problem", async () => {
  const check = await readClientsFile("/nowhere/clients.json");
  throws(() => readSettings({ CLIENTS_FILE: "/nowhere/clients.json" }, check), {
    message: "The configuration is invalid:\n- CLIENTS_FILE: /nowhere/clients.json does not exist",
  });
  throws(() => readSettings({ CLIENTS_FILE: "a,b" }), /- CLIENTS_FILE: must be a path without commas/);
});

Deno.test("a file of more than 1 MiB is a problem, and is not read", async () => {
  const settings = await read([{ client_name: "x".repeat(1024 * 1024) }]);
  throws(settings, /- CLIENTS_FILE: \S+ must have at most 1 MiB$/);
});

Deno.test("each start warns of clients without PKCE", async () => {
  const settings = (await read([{ client_secret_hashes: [HASH], require_pkce: false }, {}]))();
  const warnings = configWarnings(settings);
  strictEqual(warnings.length, 1);
  ok(warnings[0].startsWith("CLIENTS_FILE: require_pkce is false for app0, "), warnings[0]);
});

Deno.test("each start warns of a client with the name of a product", async () => {
  const [warning, ...others] = configWarnings((await read([{}, {}], { TOKEN_AUDIENCES: "app1" }))());
  ok(warning.startsWith("CLIENTS_FILE: the client_id app1 is a name in TOKEN_AUDIENCES too, "), warning);
  strictEqual(others.length, 0);
});
