import { PASSWORD } from "../support/app/accounts.ts";
import type { AppProcess } from "../support/processes/app_process.ts";
import { register } from "../support/processes/process_session.ts";
import { measureStrain } from "../support/processes/process_probe.ts";
import { load } from "./load.ts";
import { type Rig, startFoyer } from "./rig.ts";
import { fill, shareBrowser, sharePassword } from "./seed.ts";
import { inTurns, type Row } from "./table.ts";

const CONCURRENT = 32;
const USERS = 1_000;
const SECONDS = 4;
const ROUNDS = 9;
const ITERATIONS = 100_000;

/**
 * Compares the rate of logins to that of hashing alone, and measures other requests during the logins. Different users
 * log in, because those of one user wait for one another, and their browser is known, as it usually is.
 */
export async function logins({ cluster, folder }: Rig): Promise<Row[]> {
  await using app = await startFoyer({ folder }, { DATABASE_URL: cluster.url, TRUSTED_PROXIES: "1" });
  await fill(cluster.url, USERS);
  await register(app, "logins@example.com");
  await sharePassword(cluster.url, "logins@example.com");
  const script = await loginScript(folder, Array.from({ length: USERS }, (_, i) => userEmail(i + 1)));
  const headers = { Cookie: await browserCookie(app) };
  await shareBrowser(cluster.url);
  const options = { url: `${app.url}/auth/login`, connections: CONCURRENT, seconds: SECONDS, script, headers };
  const rates = await inTurns(async () => (await load(options)).requestsPerSecond, rawRate, ROUNDS);
  // Measured separately from the rates, because the health requests also use the cores.
  const { healthMs } = await measureStrain(app, async () => {
    await load({ ...options, seconds: 3 * SECONDS });
  });
  const p99Ms = healthMs[Math.floor(healthMs.length * 0.99)];
  return [
    { what: `login, ${CONCURRENT} concurrent`, ...rates, unit: "/s", target: ">= 0.8" },
    { what: "`GET /api/health` p99 during logins", ours: [p99Ms], unit: "ms", target: "<= 50" },
  ];
}

/** Logs in from a new browser. Returns the cookie by which it is known from then on. */
async function browserCookie({ url }: AppProcess): Promise<string> {
  const response = await fetch(`${url}/auth/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email: userEmail(1), password: PASSWORD }),
  });
  await response.body?.cancel();
  return response.headers.getSetCookie().find((cookie) => cookie.startsWith("device="))!.split(";")[0];
}

function userEmail(number: number): string {
  return `user${number}@example.com`;
}

/**
 * Writes a script for wrk that logs in as these users in turn, each from an address of its own: one address may take
 * only a quarter of the places for hashes. Returns its path.
 */
export async function loginScript(folder: string, emails: string[]): Promise<string> {
  const path = `${folder}/login.lua`;
  await Deno.writeTextFile(
    path,
    `wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local emails = {${emails.map((email) => JSON.stringify(email)).join(", ")}}
local count = 0
request = function()
  count = count + 1
  local email = emails[(count - 1) % #emails + 1]
  wrk.headers["X-Forwarded-For"] = "10.0." .. math.floor(count / 256) % 256 .. "." .. count % 256
  return wrk.format(nil, nil, nil, '{"email": "' .. email .. '", "password": ${JSON.stringify(PASSWORD)}}')
end
`,
  );
  return path;
}

/** Measures PBKDF2 alone, on every core, in hashes per second. */
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
