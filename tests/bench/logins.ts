import { PASSWORD } from "../support/accounts.ts";
import { register } from "../support/process_session.ts";
import { measureStrain } from "../support/process_probe.ts";
import { load } from "./load.ts";
import { type Rig, startFoyer } from "./rig.ts";
import { verifyEveryone } from "./seed.ts";
import { inTurns, type Row } from "./table.ts";

const AT_ONCE = 32;
const SECONDS = 4;
const ROUNDS = 9;
const ITERATIONS = 100_000;

/** Logins beside the hashing alone, and what others wait for meanwhile. */
export async function logins({ cluster, folder }: Rig): Promise<Row[]> {
  await using app = await startFoyer({ folder }, { DATABASE_URL: cluster.url });
  await register(app, "logins@example.com");
  await verifyEveryone(cluster.url);
  const script = await loginScript(folder, "logins@example.com");
  const options = { url: `${app.url}/auth/login`, connections: AT_ONCE, seconds: SECONDS, script };
  const rates = await inTurns(async () => (await load(options)).requestsPerSecond, rawRate, ROUNDS);
  // Apart from the rates: whoever asks for health takes of the cores too.
  const { healthMs } = await measureStrain(app, async () => {
    await load({ ...options, seconds: 3 * SECONDS });
  });
  const p99Ms = healthMs[Math.floor(healthMs.length * 0.99)];
  return [
    { what: `login, ${AT_ONCE} at once`, ...rates, unit: "/s", wanted: ">= 0.95" },
    { what: "`GET /api/health` p99 meanwhile", ours: [p99Ms], unit: "ms", wanted: "<= 50" },
  ];
}

/** A script for wrk that logs in as one user. */
export async function loginScript(folder: string, email: string): Promise<string> {
  const path = `${folder}/login.lua`;
  await Deno.writeTextFile(
    path,
    `wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '${JSON.stringify({ email, password: PASSWORD })}'
`,
  );
  return path;
}

/** PBKDF2 and nothing else, on every core. */
async function rawRate(): Promise<number> {
  const password = new TextEncoder().encode(PASSWORD);
  const salt = crypto.getRandomValues(new Uint8Array(16));
  const startedAt = performance.now();
  let count = 0;
  await Promise.all(Array.from({ length: navigator.hardwareConcurrency }, async () => {
    while (performance.now() - startedAt < SECONDS * 1000) {
      const key = await crypto.subtle.importKey("raw", password, "PBKDF2", false, ["deriveBits"]);
      await crypto.subtle.deriveBits({ name: "PBKDF2", hash: "SHA-256", salt, iterations: ITERATIONS }, key, 256);
      count++;
    }
  }));
  return count / (performance.now() - startedAt) * 1000;
}
