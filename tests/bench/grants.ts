import { strictEqual } from "node:assert/strict";
import { register } from "../support/processes/process_session.ts";
import { askForTokens, type Callers, cpuMsOf, post, SECRET, signIn, writeClients } from "./oauth_client.ts";
import { refreshMsOf } from "./refreshes.ts";
import { type Rig, startBare, startFoyer } from "./rig.ts";
import { giveConsent, verifyEveryone } from "./seed.ts";
import { inTurns, type Row } from "./table.ts";

const CONCURRENT = 8;
const EACH = 60;
const ROUNDS = 7;
const EMAIL = "grants@example.com";

/**
 * Keycloak's rule for planning: one vCPU for each 120 refreshes, or 120 grants of client credentials, a second. Source:
 * keycloak.org/high-availability, "Concepts for sizing CPU and memory resources". Like that, ours leaves out the
 * database. A code flow is two requests.
 */
const [PLANNED, PLANNED_FLOWS] = [">= 120", ">= 60"];

/**
 * Compares the CPU time of an introspection to that of a server that runs the same two statements and verifies the same
 * signature, and says how many grants of each kind a core gives in a second.
 */
export async function grants(rig: Rig): Promise<Row[]> {
  const { cluster: { url: databaseUrl }, folder } = rig;
  const CLIENTS_FILE = await writeClients(folder, ["own", "portal", "robot"]);
  const env = { DATABASE_URL: databaseUrl, LIMIT_TOKEN: "off", LIMIT_WRITE: "off", DENO_JOBS: "1" };
  await using app = await startFoyer(rig, { ...env, CLIENTS_FILE });
  await using bare = await startBare("introspection", { ...env, CLIENT_SECRET: SECRET });
  const session = await register(app, EMAIL);
  await verifyEveryone(databaseUrl);
  await giveConsent(databaseUrl, EMAIL, "portal");
  const { access_token: token } = await signIn(app, "portal", session);
  const own = await Promise.all(
    Array.from({ length: CONCURRENT }, async () => (await signIn(app, "own", session)).refresh_token),
  );
  const callers = (act: Callers["act"]) => ({ concurrent: CONCURRENT, each: EACH, act });
  const introspection = (address: string) =>
    callers(async () => {
      const { active } = await post<{ active: boolean }>(address, "portal", { token });
      strictEqual(active, true);
    });

  const cost = await inTurns(
    () => cpuMsOf(app, introspection(`${app.url}/oauth/introspect`)),
    () => cpuMsOf(bare, introspection(bare.url)),
  );
  const rows: Row[] = [
    { what: `introspection, ${CONCURRENT} concurrent: CPU`, ...cost, unit: "ms", target: "<= 1.3" },
  ];
  const perCore = async (what: string, target: string, cpuMs: () => Promise<number>) => {
    await cpuMs(); // warm-up
    const ours: number[] = [];
    for (let round = 0; round < ROUNDS; round++) ours.push(1000 / await cpuMs());
    rows.push({ what: `${what}, per second and core`, ours, unit: "/s", target });
  };
  const robot = callers(() => askForTokens(app.url, "robot", { grant_type: "client_credentials" }));
  await perCore("refresh", PLANNED, () => refreshMsOf(app, own));
  await perCore("client credentials", PLANNED, () => cpuMsOf(app, robot));
  const flow = callers(() => signIn(app, "portal", session));
  await perCore("code flow after login and consent", PLANNED_FLOWS, () => cpuMsOf(app, flow));
  return rows;
}
