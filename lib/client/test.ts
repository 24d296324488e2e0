import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { createApi } from "./api.ts";
import { FoyerUnavailable } from "./errors.ts";
import { SCOPES } from "./operations.ts";
import { refusalOf, send } from "./request.ts";
import { sessionCookieOf } from "./session.ts";

/** A person to create. */
export interface NewTestUser {
  /** At least two characters. */
  name: string;
  /** Default: made from the name, at example.com. */
  email?: string;
  role?: "user" | "admin";
  /** Whether the address is confirmed. Without that, products take the person for a guest. Default: true. */
  confirmed?: boolean;
}

export interface TestFoyerOptions {
  users?: NewTestUser[];
  /** What `CLIENTS_FILE` contains: the apps that sign people in, and resources. */
  clients?: { clients?: unknown[]; resources?: unknown[] };
  /** Settings, such as `{ TOKEN_AUDIENCES: "http://localhost:3000" }`. */
  env?: Record<string, string>;
  /** What starts Foyer, in place of the package `foyer-server`. The commands for operators are added behind it. */
  command?: string[];
}

/** A person who is logged in. */
export interface TestUser {
  id: string;
  name: string;
  email: string;
  password: string;
  /** For the header `Cookie` of requests to your product. */
  cookie: string;
  /** An API token with all scopes that the person may have. */
  token: string;
}

export interface TestMail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** A Foyer that is thrown away after the test. */
export interface TestFoyer {
  url: string;
  users: TestUser[];
  /** The emails to an address, the newest first. None of them leaves the machine. */
  mails(address: string): Promise<TestMail[]>;
  /** Moves Foyer's clock forward: a session ends without waiting for it. */
  forward(seconds: number): Promise<void>;
  /** Ends it, and deletes its data. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const PASSWORD = "Correct-horse-7";
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 15_000;
const MAIL_TIMEOUT_MS = 15_000;
const PAUSE_MS = 25;
/** What Foyer prints at last, if it does not start. */
const OUTPUT_SHOWN_CHARACTERS = 4000;

/**
 * Starts a Foyer for the tests of a product: with an empty database of its own, a free port and no limits.
 *
 * @throws {FoyerUnavailable} if it does not start. The message has what it printed.
 */
export async function startFoyer(
  { users = [], clients, env = {}, command }: TestFoyerOptions = {},
): Promise<TestFoyer> {
  const folder = await mkdtemp(join(tmpdir(), "foyer-test-"));
  const data = join(folder, "data");
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const installed = command === undefined ? await findInstalled() : undefined;
  const [program, ...args] = installed?.command ?? command!;
  const settings: NodeJS.ProcessEnv = {
    ...inherited(),
    APP_ENV: "test",
    BASE_URL: url,
    PORT: String(port),
    DATA_DIR: data,
    LOG_LEVEL: "warn",
    ...env,
  };
  if (clients !== undefined) {
    settings.CLIENTS_FILE = join(folder, "clients.json");
    await writeFile(settings.CLIENTS_FILE, JSON.stringify(clients), { mode: 0o600 });
  }
  const run = (words: string[], env = settings) => runCommand(program, [...args, ...words], env);
  if (installed !== undefined && env.DATABASE_URL === undefined && env.DATA_DIR === undefined) {
    await copyDatabase(installed.database, data, (DATA_DIR) => run(["migrate"], { ...settings, DATA_DIR }));
  }
  const child = spawn(program, [...args, "start"], { env: settings, stdio: ["ignore", "pipe", "pipe"] });
  const output = collect(child);
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()).once("error", () => resolve()));
  const stop = async () => {
    child.kill("SIGTERM");
    const forced = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(forced);
    await rm(folder, { recursive: true, force: true });
  };
  const mails = async (address: string) => (await listMails(url)).filter(({ to }) => to === address);
  try {
    await listening(url, child, output);
    // A setting that is misspelled, for example.
    for (const line of output.text.split("\n")) if (line.includes('"level":"warn"')) console.warn(line);
    const created = [];
    for (const user of users) created.push(await addUser(user, { url, mails, run }));
    return {
      url,
      users: created,
      mails,
      async forward(seconds) {
        await post(url, "/dev/clock", { seconds });
      },
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the program of the package `foyer-server` that the product has installed, and where its database is kept. */
async function findInstalled(): Promise<{ command: string[]; database: string }> {
  const name = "foyer-server";
  const require = createRequire(join(process.cwd(), "package.json"));
  try {
    const manifest = require.resolve(`${name}/package.json`);
    const { bin, version } = JSON.parse(await readFile(manifest, "utf8"));
    const { mtimeMs } = await stat(manifest);
    const database = join(process.cwd(), "node_modules/.cache/foyer-client", `${version}-${Math.round(mtimeMs)}`);
    return { command: ["node", join(dirname(manifest), bin[name])], database };
  } catch (cause) {
    throw new FoyerUnavailable(`Install ${name}, or name the command that starts Foyer`, { cause });
  }
}

/**
 * Copies a database without rows, which takes a third of the time of making one. The first call makes it. Where that
 * fails, the start makes one.
 */
async function copyDatabase(kept: string, folder: string, make: (folder: string) => Promise<void>): Promise<void> {
  try {
    if (!existsSync(kept)) {
      await mkdir(dirname(kept), { recursive: true });
      const made = await mkdtemp(`${kept}-`);
      await make(made);
      await rename(made, kept).catch(() => rm(made, { recursive: true })); // another process was faster
    }
    await cp(kept, folder, { recursive: true });
  } catch {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Nothing of the environment may configure this Foyer but what a test says. */
function inherited(): NodeJS.ProcessEnv {
  const names = ["PATH", "HOME", "USER", "TMPDIR", "TEMP", "LANG", "TZ", "DENO_DIR"];
  return Object.fromEntries(names.map((name) => [name, process.env[name]]).filter(([, value]) => value !== undefined));
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject).listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

function collect(child: ChildProcess): { text: string } {
  const output = { text: "" };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output.text = (output.text + text).slice(-OUTPUT_SHOWN_CHARACTERS);
    });
  }
  child.once("error", ({ message }) => output.text += message);
  return output;
}

async function listening(url: string, child: ChildProcess, output: { text: string }): Promise<void> {
  const isReady = async () => {
    const hasEnded = child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
    if (hasEnded) throw new FoyerUnavailable(`Foyer has not started:\n${output.text}`);
    const response = await fetch(`${url}/api/health/ready`).catch(() => null);
    await response?.body?.cancel();
    return response?.ok || undefined;
  };
  const isListening = await until(isReady, START_TIMEOUT_MS);
  if (!isListening) throw new FoyerUnavailable(`Foyer has not started within a minute:\n${output.text}`);
}

interface Running {
  url: string;
  mails(address: string): Promise<TestMail[]>;
  run(words: string[]): Promise<void>;
}

async function addUser(user: NewTestUser, foyer: Running): Promise<TestUser> {
  const { name, email = addressOf(name), role, confirmed = true } = user;
  const { url } = foyer;
  const registered = await post(url, "/auth/register", { name, email, password: PASSWORD });
  if (confirmed) await confirm(email, foyer);
  if (role === "admin") await foyer.run(["users", "promote", email]);
  const response = confirmed ? await post(url, "/auth/login", { email, password: PASSWORD }) : registered;
  const { user: { id } } = await response.json() as { user: { id: string } };
  const cookie = sessionCookieOf(response);
  const api = createApi(url, { request: { headers: { cookie } } });
  const scopes = SCOPES.filter((scope) => role === "admin" || scope !== "admin");
  const made = await api.createToken({ name: "Tests", scopes });
  return { id, name, email, password: PASSWORD, cookie, token: made.token };
}

/** Confirms an address with the link in the email. */
async function confirm(email: string, { url, mails }: Running): Promise<void> {
  const arrived = () => mails(email).then((found) => found.length > 0 ? found : undefined);
  const [mail] = await until(arrived, MAIL_TIMEOUT_MS) ?? [];
  const token = mail?.text.match(/token=([\w-]+)/)?.[1];
  if (token === undefined) throw new FoyerUnavailable(`No email has come to ${email}`);
  await post(url, "/auth/verify-email", { email, token });
}

function addressOf(name: string): string {
  const local = name.normalize("NFKD").toLowerCase().replace(/[^a-z0-9]+/g, ".").replace(/^\.+|\.+$/g, "");
  return `${local || "person"}@example.com`;
}

async function listMails(url: string): Promise<TestMail[]> {
  const response = await send(`${url}/dev/mails`);
  if (!response.ok) throw await refusalOf(response);
  return (await response.json() as { data: TestMail[] }).data;
}

async function post(url: string, path: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json" };
  const response = await send(url + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw await refusalOf(response);
  return response;
}

function runCommand(program: string, args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const output = collect(child);
  return new Promise((resolve, reject) => {
    const failed = () => reject(new FoyerUnavailable(`${args.join(" ")} has failed:\n${output.text}`));
    child.once("close", (code) => code === 0 ? resolve() : failed()).once("error", failed);
  });
}

async function until<Found>(look: () => Promise<Found | undefined>, timeoutMs: number): Promise<Found | undefined> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline;) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
