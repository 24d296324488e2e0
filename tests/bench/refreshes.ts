import { delay } from "../support/delay.ts";
import type { AppProcess } from "../support/processes/app_process.ts";
import { memoryOf } from "../support/processes/process_probe.ts";
import { register } from "../support/processes/process_session.ts";
import { askForTokens, cpuMsOf, signIn, writeClients } from "./oauth_client.ts";
import { type Rig, startBare, startFoyer } from "./rig.ts";
import { verifyEveryone } from "./seed.ts";
import { inTurns, type Row } from "./table.ts";

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
  const CLIENTS_FILE = await writeClients(rig.folder, ["own"]);
  const env = { DATABASE_URL: rig.cluster.url, LIMIT_TOKEN: "off", DENO_JOBS: "1" };
  const rows: Row[] = [];
  {
    await using app = await startFoyer(rig, { ...env, CLIENTS_FILE });
    await using bare = await startBare("refresh", env);
    const session = await register(app, "refreshes@example.com");
    await verifyEveryone(rig.cluster.url);
    const chains = () =>
      Promise.all(Array.from({ length: CONCURRENT }, async () => (await signIn(app, "own", session)).refresh_token));
    const [ours, theirs] = [await chains(), await chains()];
    // The bare server has refresh tokens of its own. The grants are alike.
    const bareTokens = theirs.map((token) => `${grantIdOf(token)}.0`);
    const cost = await inTurns(() => refreshMsOf(app, ours), () => refreshMsOf(bare, bareTokens));
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

/** A refresh token starts with the id of its grant. */
function grantIdOf(token: string): string {
  const bytes = Uint8Array.fromBase64(token.slice("foyer_r_".length), { alphabet: "base64url" });
  return bytes.slice(0, 16).toHex().replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Returns the CPU time of one refresh, in milliseconds. Each refresh replaces its token. */
export function refreshMsOf(server: AppProcess, tokens: string[]): Promise<number> {
  return cpuMsOf(server, {
    concurrent: tokens.length,
    each: REFRESHES_EACH,
    async act(caller) {
      const fields = { grant_type: "refresh_token", refresh_token: tokens[caller] };
      tokens[caller] = (await askForTokens(server.url, "own", fields)).refresh_token;
    },
  });
}
