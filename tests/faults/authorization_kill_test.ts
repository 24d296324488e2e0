import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import pg from "pg";
import { DEVICE_GRANT } from "../../lib/config/registered_client.ts";
import { hashToken } from "../../lib/crypto/token.ts";
import { testOnEachEngine } from "../support/database/engines.ts";
import { type AppProcess, buildApp, startApp } from "../support/processes/app_process.ts";
import { HELD, HOLD_RESPONSE } from "../support/processes/hold_responses.ts";
import { register, type Session } from "../support/processes/process_session.ts";
import { waitFor } from "../support/wait_for.ts";

const PRELOAD = new URL("../support/processes/hold_responses.ts", import.meta.url).pathname;
const CLIENT = {
  client_id: "portal",
  client_name: "Portal",
  redirect_uris: ["https://app.example/callback"],
  grant_types: ["authorization_code", "refresh_token", DEVICE_GRANT],
  first_party: true,
  require_verified_email: false,
};
const [REDIRECT_URI] = CLIENT.redirect_uris;
const VERIFIER = "v".repeat(43);

await buildApp();

testOnEachEngine(
  "killed between commit and response, a refresh can be repeated and a code cannot",
  async ({ env }, dataDir) => {
    const CLIENTS_FILE = `${dataDir}/clients.json`;
    await Deno.writeTextFile(CLIENTS_FILE, JSON.stringify({ clients: [CLIENT] }));
    const start = () => startApp({ dataDir, env: { ...env, CLIENTS_FILE }, preload: PRELOAD });
    let session: Session;
    let lost: string;
    let code: string;
    {
      await using app = await start();
      session = await register(app, "ada@example.com");
      lost = (await tokensIn(exchange(app, await codeFor(app, session)))).refresh_token;
      await killBeforeResponse(app, refresh(app, lost, { [HOLD_RESPONSE]: "true" }));
    }
    {
      await using app = await start();
      const next = await tokensIn(refresh(app, lost));
      deepStrictEqual((await tokensIn(refresh(app, lost))).refresh_token, next.refresh_token, "the same successor");
      const last = await tokensIn(refresh(app, next.refresh_token));
      deepStrictEqual((await errorOf(refresh(app, lost)))[1], "invalid_grant", "two generations old");
      deepStrictEqual((await errorOf(refresh(app, last.refresh_token)))[1], "invalid_grant", "which ended the grant");

      code = await codeFor(app, session);
      await killBeforeResponse(app, exchange(app, code, { [HOLD_RESPONSE]: "true" }));
    }
    await using app = await start();
    deepStrictEqual(await errorOf(exchange(app, code)), [400, "invalid_grant"]);
    // The app sends the person again, who is asked nothing.
    ok((await tokensIn(exchange(app, await codeFor(app, session)))).refresh_token);
    if (env.DATABASE_URL) {
      strictEqual(
        await grantsIn(env.DATABASE_URL),
        2,
        "the one whose response was lost, and the new one",
      );
    }
  },
);

testOnEachEngine(
  "killed after Allow, a device gets its tokens once; killed after the poll, it asks for another code",
  async ({ env }, dataDir) => {
    const CLIENTS_FILE = `${dataDir}/clients.json`;
    await Deno.writeTextFile(CLIENTS_FILE, JSON.stringify({ clients: [CLIENT] }));
    const start = () => startApp({ dataDir, env: { ...env, CLIENTS_FILE }, preload: PRELOAD });
    let session: Session;
    let device: DeviceCode;
    {
      await using app = await start();
      session = await register(app, "ada@example.com");
      device = await claimedCode(app, session);
      await killBeforeResponse(app, allow(app, session, device, { [HOLD_RESPONSE]: "true" }), 303);
    }
    {
      await using app = await start();
      strictEqual((await allow(app, session, device)).status, 400, "it has been answered");
      ok((await tokensIn(poll(app, device))).refresh_token);
      deepStrictEqual(await errorOf(poll(app, device)), [400, "invalid_grant"]);
      device = await claimedCode(app, session);
      await (await allow(app, session, device)).body?.cancel();
      await killBeforeResponse(app, poll(app, device, { [HOLD_RESPONSE]: "true" }));
    }
    await using app = await start();
    deepStrictEqual(await errorOf(poll(app, device)), [400, "invalid_grant"]);
    if (env.DATABASE_URL) strictEqual(await grantsIn(env.DATABASE_URL), 2, "the one whose tokens were lost, too");
  },
);

/** What a device keeps, and what its person types. */
interface DeviceCode {
  device_code: string;
  user_code: string;
}

/** Returns a code that its person has typed. */
async function claimedCode(app: AppProcess, session: Session): Promise<DeviceCode> {
  const body = new URLSearchParams({ client_id: CLIENT.client_id, scope: "openid" });
  const device = await (await fetch(`${app.url}/oauth/device_authorization`, { method: "POST", body })).json();
  const claimed = await answer(app, session, { userCode: device.user_code });
  strictEqual(claimed.status, 200, await claimed.text());
  return device;
}

function allow(app: AppProcess, session: Session, { user_code }: DeviceCode, headers: HeadersInit = {}) {
  return answer(app, session, { userCode: user_code, answer: "allow" }, headers);
}

function answer({ url }: AppProcess, { cookie }: Session, fields: Record<string, string>, headers: HeadersInit = {}) {
  const init = { method: "POST", redirect: "manual", body: new URLSearchParams(fields) } as const;
  return fetch(`${url}/device`, { ...init, headers: { Cookie: cookie, Origin: url, ...headers } });
}

function poll(app: AppProcess, { device_code }: DeviceCode, headers: HeadersInit = {}): Promise<Response> {
  return post(app, { grant_type: DEVICE_GRANT, device_code }, headers);
}

/** Waits until the response would be sent, and kills the process. */
async function killBeforeResponse(app: AppProcess, sent: Promise<Response>, status = 200): Promise<void> {
  const broken = sent.then(() => false, () => true);
  await waitFor("a held response", () => app.output().includes(HELD));
  ok(app.output().includes(`${HELD}: ${status}`), app.output());
  app.kill("SIGKILL");
  await app.ended;
  strictEqual(await broken, true);
}

async function codeFor({ url }: AppProcess, { cookie }: Session): Promise<string> {
  const query = new URLSearchParams({
    client_id: CLIENT.client_id,
    redirect_uri: REDIRECT_URI,
    response_type: "code",
    scope: "openid",
    code_challenge: hashToken(VERIFIER),
    code_challenge_method: "S256",
  });
  const response = await fetch(`${url}/oauth/authorize?${query}`, { redirect: "manual", headers: { Cookie: cookie } });
  strictEqual(response.status, 303, await response.text());
  return new URL(response.headers.get("Location")!).searchParams.get("code")!;
}

function post({ url }: AppProcess, fields: Record<string, string>, headers: HeadersInit): Promise<Response> {
  const body = new URLSearchParams({ client_id: CLIENT.client_id, ...fields });
  return fetch(`${url}/oauth/token`, { method: "POST", body, headers });
}

function exchange(app: AppProcess, code: string, headers: HeadersInit = {}): Promise<Response> {
  const grant = { grant_type: "authorization_code", code, redirect_uri: REDIRECT_URI, code_verifier: VERIFIER };
  return post(app, grant, headers);
}

function refresh(app: AppProcess, refresh_token: string, headers: HeadersInit = {}): Promise<Response> {
  return post(app, { grant_type: "refresh_token", refresh_token }, headers);
}

async function tokensIn(sent: Promise<Response>): Promise<{ refresh_token: string }> {
  const response = await sent;
  const body = await response.json();
  strictEqual(response.status, 200, JSON.stringify(body));
  return body;
}

async function errorOf(sent: Promise<Response>): Promise<[status: number, error: string]> {
  const response = await sent;
  return [response.status, (await response.json()).error];
}

async function grantsIn(connectionString: string): Promise<number> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return Number((await client.query("select count(*) from grants")).rows[0].count);
  } finally {
    await client.end();
  }
}
