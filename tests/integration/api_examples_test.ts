import { deepStrictEqual, ok } from "node:assert/strict";
import { DOCUMENTED } from "../support/api/entries.ts";
import { hashClientSecret } from "../../lib/authorization_server/client_secret.ts";
import { ERROR_STATUS } from "../../lib/errors/errors.ts";
import { CLIENT_SECRET, recordExamples } from "../support/api/api_examples.ts";
import { startFalseProvider } from "../support/providers/false_provider.ts";
import { writeClientsFile } from "../support/app/clients_file.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const FILE = new URL("../../lib/api/examples.json", import.meta.url);
/** Writes the examples instead of comparing them. */
const isRecording = Deno.env.get("RECORD_EXAMPLES") === "true";

const provider = await startFalseProvider();
Deno.test.afterAll(() => provider[Symbol.asyncDispose]());
const app = await openSharedTestApp({
  BASE_URL: "http://localhost:8000",
  LOGIN_MAX_ATTEMPTS: "0",
  SIGN_IN_CODES: "true",
  TOKEN_AUDIENCES: "https://wiki.example.com",
  CLIENTS_FILE: await writeClientsFile([
    {
      client_id: "wiki",
      client_name: "Team wiki",
      client_secret_hashes: [`sha256:${hashClientSecret(CLIENT_SECRET)}`],
      redirect_uris: ["https://wiki.example.com/callback"],
    },
  ]),
  ...provider.env,
});

Deno.test("the examples of the API document are what the service responds", async () => {
  const recorded = await recordExamples({ app, provider });
  if (isRecording) await Deno.writeTextFile(FILE, `${JSON.stringify(recorded, null, 2)}\n`);
  deepStrictEqual(recorded, JSON.parse(await Deno.readTextFile(FILE)));
});

Deno.test("every operation has an example, except those that only providers use", async () => {
  const examples = Object.keys(JSON.parse(await Deno.readTextFile(FILE)));
  const missing = DOCUMENTED.filter((key) => !examples.includes(key));
  deepStrictEqual(missing, missing.filter((key) => key.startsWith("GET /auth/idp/")));
});

Deno.test("the page /docs shows a command for every operation", async () => {
  const page = await (await app.client().get("/docs")).text();
  const [, ...sections] = page.split('<section class="card operation"');
  deepStrictEqual(sections.length, DOCUMENTED.length);
  deepStrictEqual(sections.filter((section) => !section.includes("<pre><code>curl ")), []);
});

Deno.test("the page /docs has a row for every error code, with its status and what to do, and responses lead to it", async () => {
  const page = await (await app.client().get("/docs")).text();
  const rows = page.matchAll(
    /<tr id="(\w+)"><th scope="row"><code>\1<\/code><\/th><td>(\d+)<\/td><td>.{9,}?<\/td><\/tr>/g,
  );
  deepStrictEqual([...rows].map(([, code, status]) => [code, Number(status)]), Object.entries(ERROR_STATUS));
  const [, ...sections] = page.split('<section class="card operation"');
  const isForApps = (section: string) => section.includes("</strong> /oauth/");
  deepStrictEqual(
    sections.filter((section) => section.includes('<a href="#INTERNAL">INTERNAL</a>') === isForApps(section)),
    [],
  );
  deepStrictEqual(
    sections.filter((section) => section.includes("<code>server_error</code>") !== isForApps(section)),
    [],
  );
  const ids = new Set([...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id));
  const targets = [...page.matchAll(/<a href="#([^"]+)"/g)].map(([, target]) => target);
  deepStrictEqual(targets.filter((target) => !ids.has(target)), []);
});

Deno.test("the guide costs little more than a short page, because it is rendered once", async () => {
  const client = app.client();
  const timeOf = async (path: string) => {
    const start = performance.now();
    await (await client.get(path)).text();
    return performance.now() - start;
  };
  await timeOf("/docs");
  let [guide, short] = [Infinity, Infinity];
  // The fastest round of each: other tests that run at the same time slow down the others.
  for (let round = 0; round < 200 && guide >= 4 * short || round < 5; round++) {
    guide = Math.min(guide, await timeOf("/docs"));
    short = Math.min(short, await timeOf("/forgot-password"));
  }
  ok(guide < 4 * short, `${(guide / short).toFixed(1)} times the time of a short page`);
});
