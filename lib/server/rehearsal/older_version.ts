import { join, resolve } from "node:path";
import type { Served } from "../../installation/rehearsal/report.ts";
import type { Visitor } from "../../installation/rehearsal/older.ts";
import { messageOf } from "../../log/log.ts";

/** How long the older version may take to start, and to answer. */
const START_SECONDS = 60;
const ANSWER_MS = 30_000;
/** What npm says at last, if it fails. */
const SAID_CHARACTERS = 500;
/** All that npm gets of the environment: no setting of the service may reach the older version. */
const INHERITED = ["HOME", "PATH", "TMPDIR"];

/**
 * Installs an older version from a package of npm, and lets it serve a database. It has the settings of development,
 * and none of the service, so it reaches nothing outside: no other database, mail server, store or provider.
 *
 * @param version a file, or what npm calls it.
 * @param options.env the environment of the command.
 * @param options.folder where the database is. The version is installed beside it.
 * @param options.signal ends it early.
 */
export async function serveOlder(
  version: string,
  { env, folder, visitor, appSecret, signal }: {
    env: Record<string, string>;
    folder: string;
    visitor: Visitor;
    appSecret: string;
    signal: AbortSignal;
  },
): Promise<Served> {
  const place = join(folder, "older");
  await Deno.mkdir(place);
  const inherited = Object.fromEntries(Object.entries(env).filter(([name]) => INHERITED.includes(name)));
  const isFile = await Deno.stat(version).then(() => true, () => false);
  const source = isFile ? resolve(version) : version;
  const installed = await npm(["install", "--no-audit", "--no-fund", source], { cwd: place, env: inherited, signal })
    .output();
  if (!installed.success) {
    const said = new TextDecoder().decode(installed.stderr).slice(-SAID_CHARACTERS).trim();
    return { problem: `npm cannot install ${version}: ${said}`, errors: [] };
  }
  const port = freePort();
  const settings = { DATA_DIR: folder, APP_SECRET: appSecret, APP_ENV: "development", PORT: port, LOG_FORMAT: "json" };
  const service = npm(["exec", "--", "foyer-server", "start"], {
    cwd: place,
    env: { ...inherited, ...settings },
    signal,
  }).spawn();
  void service.stderr.cancel();
  const reading = new Response(service.stdout).text();
  const ended = service.status.then(() => true);
  const problem = await visit(`http://localhost:${port}`, visitor, ended).then(() => null, messageOf);
  try {
    service.kill("SIGTERM");
  } catch { /* it has ended */ }
  await service.status;
  return { problem, errors: errorsIn(await reading) };
}

function npm(args: string[], options: Deno.CommandOptions): Deno.Command {
  return new Deno.Command("npm", {
    args,
    ...options,
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

function freePort(): string {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return String(listener.addr.port);
}

/** Waits until the version serves, logs in, and looks at the profile. */
async function visit(url: string, visitor: Visitor, ended: Promise<boolean>): Promise<void> {
  await waitUntilReady(url, ended);
  const headers = { "Content-Type": "application/json" };
  const signal = AbortSignal.timeout(ANSWER_MS);
  const login = await fetch(`${url}/auth/login`, { method: "POST", headers, body: JSON.stringify(visitor), signal });
  if (!login.ok) throw new Error(`the login is answered with ${login.status}: ${await login.text()}`);
  await login.body?.cancel();
  const Cookie = login.headers.getSetCookie().map((cookie) => cookie.split(";")[0]).join("; ");
  const profile = await fetch(`${url}/api/profile`, { headers: { Cookie }, signal });
  await profile.body?.cancel();
  if (!profile.ok) throw new Error(`the profile is answered with ${profile.status}`);
}

async function waitUntilReady(url: string, ended: Promise<boolean>): Promise<void> {
  for (let seconds = 0; seconds < START_SECONDS; seconds++) {
    const response = await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(ANSWER_MS) }).catch(() => null);
    await response?.body?.cancel();
    if (response?.ok) return;
    const second = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 1_000));
    if (await Promise.race([ended, second])) throw new Error("it has ended at the start");
  }
  throw new Error(`it has not started within ${START_SECONDS} seconds`);
}

function errorsIn(log: string): string[] {
  return log.split("\n").filter((line) => line.includes('"level":"error"')).map((line) => line.slice(0, 500));
}
