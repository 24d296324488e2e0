import { databaseTime, openDatabase } from "../../db/connection.ts";
import type { DatabaseHandle } from "../../db/database_handle.ts";
import { DAY_SECONDS } from "../../lib/duration.ts";
import { BATCH_ROWS, sweepExpiredRows } from "../../lib/jobs/expired_rows.ts";
import { cursorOfId } from "../../lib/schemas/list.ts";
import type { AppProcess } from "../support/processes/app_process.ts";
import { register } from "../support/processes/process_session.ts";
import { load } from "./load.ts";
import { loginScript } from "./logins.ts";
import { type Rig, startFoyer } from "./rig.ts";
import { addExpiredSessions, createDatabase, fill, fillGroups, lastIdOfPage, tokenOf, verifyEveryone } from "./seed.ts";
import { inTurns, type Row } from "./table.ts";

const EMAIL = "growth@example.com";
const FEW = 1_000;
const MANY = 1_000_000;
const SESSIONS_EACH = 10;
const PAGE = 5_000;
const PAGE_SIZE = 100;
const SECONDS = 2;
/** Enough for PostgreSQL to expect that it finds expired sessions wherever it looks. */
const EXPIRED = 500_000;
const BATCHES = 20;
const TARGET = "<= 1.2";

/** One of the two databases. */
interface Side {
  url: string;
  users: number;
}

/** Compares times with a million users and ten million sessions to those with a thousand users. */
export async function growth(rig: Rig): Promise<Row[]> {
  const [few, many] = await Promise.all(
    [FEW, MANY].map(async (users) => ({ url: await createDatabase(rig.cluster.url, `users_${users}`), users })),
  );
  return [...await requests(rig, few, many), await sweeps(few, many)];
}

async function requests({ folder }: Rig, few: Side, many: Side): Promise<Row[]> {
  await using fewServed = await serve(folder, few);
  await using manyServed = await serve(folder, many);
  const logins = await loginScript(folder, [EMAIL]);
  const deep = cursorOfId(await lastIdOfPage(many.url, PAGE - 1, PAGE_SIZE));

  const rows: Row[] = [];
  const compare = async (what: string, path: (side: Served) => string, script?: (side: Served) => string) => {
    const time = (side: Served) => async () => {
      const url = side.app.url + path(side);
      const { requestsPerSecond } = await load({ url, connections: 1, seconds: SECONDS, script: script?.(side) });
      return 1000 / requestsPerSecond;
    };
    const { ours, bare } = await inTurns(time(manyServed), time(fewServed));
    rows.push({ what: `${what}; 1,000,000 users, compared to 1,000`, ours, bare, unit: "ms", target: TARGET });
  };
  const list = `/api/users?limit=${PAGE_SIZE}`;
  await compare("`GET /api/users`, first page", () => list);
  await compare(`\`GET /api/users\`, page ${PAGE}`, (side) => side === manyServed ? `${list}&cursor=${deep}` : list);
  await compare("`GET /api/users/:id`", ({ userId }) => `/api/users/${userId}`);
  await compare("`GET /api/profile` of any user", () => "/api/profile", ({ sessions }) => sessions);
  await compare(
    "`GET /auth/check` of any user, in one of 1,000 groups",
    () => "/auth/check",
    ({ sessions }) => sessions,
  );
  await compare("`GET /auth/check` of a user in 50 of them", () => "/auth/check", ({ ofMember }) => ofMember);
  await compare("login", () => "/auth/login", () => logins);
  return rows;
}

/** The app on one of the databases. */
interface Served extends AsyncDisposable {
  app: AppProcess;
  /** A user in the middle of the list. */
  userId: string;
  /** A script for wrk that sends each request as a random user. */
  sessions: string;
  /** One that sends them as a user in many groups. */
  ofMember: string;
}

async function serve(folder: string, { url, users }: Side): Promise<Served> {
  // One isolate: with two, the one that gets the connection matters more than a million users.
  const app = await startFoyer({ folder }, { DATABASE_URL: url, DENO_JOBS: "1" });
  await fill(url, users, SESSIONS_EACH);
  await register(app, EMAIL);
  await verifyEveryone(url);
  const member = await fillGroups(url, users);
  return {
    app,
    userId: await lastIdOfPage(url, users / 2, 1),
    sessions: await sessionScript(folder, [1, users]),
    ofMember: await sessionScript(folder, [member, member]),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

/** Compares the time to sweep the same number of expired sessions. No app runs, because it would sweep them too. */
async function sweeps(few: Side, many: Side): Promise<Row> {
  const open = async ({ url }: Side) => {
    await addExpiredSessions(url, EXPIRED);
    return await openDatabase({ databaseUrl: url, directory: "", log() {} });
  };
  const [fewOpen, manyOpen] = [await open(few), await open(many)];
  const config = { eventsKeptSeconds: DAY_SECONDS, addressesKeptSeconds: 0 };
  const time = ({ db }: DatabaseHandle) => async () => {
    const startedAt = performance.now();
    for (let batch = 0; batch < BATCHES; batch++) {
      if (await sweepExpiredRows({ db, databaseTime, config }) !== BATCH_ROWS) {
        throw new Error("Too few expired sessions");
      }
    }
    return (performance.now() - startedAt) / BATCHES;
  };
  try {
    const { ours, bare } = await inTurns(time(manyOpen), time(fewOpen));
    const what = `sweep of ${BATCH_ROWS} sessions; 10,000,000 sessions, compared to 10,000`;
    return { what, ours, bare, unit: "ms", target: TARGET };
  } finally {
    await Promise.all([fewOpen.close(), manyOpen.close()]);
  }
}

/** Writes a script for wrk that sends requests as users with numbers in this range. Returns its path. */
async function sessionScript(folder: string, [first, last]: [number, number]): Promise<string> {
  const path = `${folder}/sessions_${first}_${last}.lua`;
  const [prefix] = tokenOf(0).split("0");
  await Deno.writeTextFile(
    path,
    `function request()
  local token = string.format("${prefix}%021d", math.random(${first}, ${last}))
  return wrk.format("GET", nil, { Cookie = "auth_session=" .. token })
end
`,
  );
  return path;
}
