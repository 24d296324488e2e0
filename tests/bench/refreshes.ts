import { strictEqual } from "node:assert/strict";
import { hashToken } from "../../lib/crypto/token.ts";
import { delay } from "../support/delay.ts";
import type { AppProcess } from "../support/processes/app_process.ts";
import { memoryOf } from "../support/processes/process_probe.ts";
import { register, type Session } from "../support/processes/process_session.ts";
import { cpuSecondsOf, type Rig, startBare, startFoyer } from "./rig.ts";
import { verifyEveryone } from "./seed.ts";
import { inTurns, type Row } from "./table.ts";

const CLIENT = "bench";
const REDIRECT_URI = "https://app.example/callback";
const VERIFIER = "v".repeat(43);
/** Each refreshes again and again, as an app does. */
const CONCURRENT = 8;
const REFRESHES_EACH = 60;
const IDLE_MS = 10_000;
const IDLE_STARTS = 5;
const MEGABYTE = 1_000_000;

/**
 * Compares the CPU time of a refresh to that of a server that runs the same two statements and makes the same two
 * signatures, and the memory of an idle service with and without clients.
 */
export async function refreshes(rig: Rig): Promise<Row[]> {
  const CLIENTS_FILE = await writeClientsFile(rig.folder);
  const env = { DATABASE_URL: rig.cluster.url, LIMIT_TOKEN: "off", DENO_JOBS: "1" };
  const rows: Row[] = [];
  {
    await using app = await startFoyer(rig, { ...env, CLIENTS_FILE });
    await using bare = await startBare("refresh", env);
    const session = await register(app, "refreshes@example.com");
    await verifyEveryone(rig.cluster.url);
    const chains = (count: number) => Promise.all(Array.from({ length: count }, () => connect(app, session)));
    const [ours, theirs] = [await chains(CONCURRENT), await chains(CONCURRENT)];
    // The bare server has refresh tokens of its own. The grants are alike.
    const bareChains = theirs.map((token) => ({ token: `${grantIdOf(token)}.0` }));
    const ourChains = ours.map((token) => ({ token }));
    const cost = await inTurns(
      () => cpuMsOf(app, ourChains),
      () => cpuMsOf(bare, bareChains),
    );
    rows.push({ what: `refresh, ${CONCURRENT} concurrent: CPU`, ...cost, unit: "ms", target: "<= 1.3" });
  }
  const idle = (extra: Record<string, string>) => async () => {
    await using app = await startFoyer(rig, { ...env, ...extra });
    await delay(IDLE_MS);
    return await memoryOf(app, "VmRSS") / MEGABYTE;
  };
  const memory = await inTurns(idle({ CLIENTS_FILE }), idle({}), IDLE_STARTS);
  const more = memory.ours.map((value, turn) => value - memory.bare[turn]);
  rows.push({ what: "memory when idle that clients add, PostgreSQL", ours: more, unit: "MB", target: "<= 5" });
  return rows;
}

async function writeClientsFile(folder: string): Promise<string> {
  const path = `${folder}/clients.json`;
  const client = {
    client_id: CLIENT,
    client_name: "Bench",
    redirect_uris: [REDIRECT_URI],
    first_party: true,
    scope: "openid profile email",
  };
  await Deno.writeTextFile(path, JSON.stringify({ clients: [client] }));
  return path;
}

/** Signs in at the app. Returns its refresh token. */
async function connect({ url }: AppProcess, session: Session): Promise<string> {
  const request = new URLSearchParams({
    client_id: CLIENT,
    redirect_uri: REDIRECT_URI,
    response_type: "code",
    scope: "openid profile email",
    code_challenge: hashToken(VERIFIER),
    code_challenge_method: "S256",
  });
  const answer = await session.request(`/oauth/authorize?${request}`, { redirect: "manual" });
  await answer.body?.cancel();
  const code = new URL(answer.headers.get("location")!).searchParams.get("code")!;
  const tokens = await post(url, {
    grant_type: "authorization_code",
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
  });
  return tokens.refresh_token;
}

async function post(url: string, fields: Record<string, string>): Promise<{ refresh_token: string }> {
  const body = new URLSearchParams({ client_id: CLIENT, ...fields });
  const response = await fetch(`${url}/oauth/token`, { method: "POST", body });
  const tokens = await response.json();
  strictEqual(response.status, 200, JSON.stringify(tokens));
  return tokens;
}

/** A refresh token starts with the id of its grant. */
function grantIdOf(token: string): string {
  const bytes = Uint8Array.fromBase64(token.slice("foyer_r_".length), { alphabet: "base64url" });
  return bytes.slice(0, 16).toHex().replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Returns the CPU time of one refresh, in milliseconds. */
async function cpuMsOf(server: AppProcess, chains: { token: string }[]): Promise<number> {
  const before = await cpuSecondsOf(server);
  await Promise.all(chains.map(async (chain) => {
    for (let count = 0; count < REFRESHES_EACH; count++) {
      chain.token = (await post(server.url, { grant_type: "refresh_token", refresh_token: chain.token })).refresh_token;
    }
  }));
  return (await cpuSecondsOf(server) - before) * 1000 / (chains.length * REFRESHES_EACH);
}
