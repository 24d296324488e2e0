import { cursorOfUserId } from "../../lib/schemas/user_list.ts";
import { register } from "../support/process_session.ts";
import { load } from "./load.ts";
import { loginScript } from "./logins.ts";
import { type Rig, startFoyer } from "./rig.ts";
import { createDatabase, fill, lastIdOfPage, tokenOf, verifyEveryone } from "./seed.ts";
import { inTurns, type Row } from "./table.ts";

const FEW = 1_000;
const MANY = 1_000_000;
const PAGE = 5_000;
const PAGE_SIZE = 100;
const SECONDS = 2;

/** Compares response times with a million users and two million sessions to those with a thousand users. */
export async function growth({ cluster, folder }: Rig): Promise<Row[]> {
  const [few, many] = await Promise.all([FEW, MANY].map(async (users) => {
    const url = await createDatabase(cluster.url, `users_${users}`);
    // One isolate: with two, the one that gets the connection matters more than a million users.
    const app = await startFoyer({ folder }, { DATABASE_URL: url, DENO_JOBS: "1" });
    await fill(url, users);
    await register(app, "growth@example.com");
    await verifyEveryone(url);
    return { url, app, users, sessions: await sessionScript(folder, users) };
  }));
  const logins = await loginScript(folder, "growth@example.com");
  const deep = `&cursor=${cursorOfUserId(await lastIdOfPage(many.url, PAGE - 1, PAGE_SIZE))}`;

  const rows: Row[] = [];
  const compare = async (what: string, path: string, { query = "", ...options }: Comparison = {}) => {
    const time = ({ app, sessions }: typeof few, suffix: string) => async () => {
      const script = options.withSession ? sessions : options.script;
      const { requestsPerSecond } = await load({
        url: app.url + path + suffix,
        connections: 1,
        seconds: SECONDS,
        script,
      });
      return 1000 / requestsPerSecond;
    };
    const { ours, bare } = await inTurns(time(many, query), time(few, ""));
    rows.push({ what: `${what}; 1,000,000 users, compared to 1,000`, ours, bare, unit: "ms", target: "<= 1.2" });
  };
  try {
    await compare("`GET /api/users`, first page", `/api/users?limit=${PAGE_SIZE}`);
    await compare(`\`GET /api/users\`, page ${PAGE}`, `/api/users?limit=${PAGE_SIZE}`, { query: deep });
    await compare("session of any user", "/api/profile", { withSession: true });
    await compare("login", "/auth/login", { script: logins });
  } finally {
    for (const { app } of [few, many]) await app[Symbol.asyncDispose]();
  }
  return rows;
}

interface Comparison {
  /** Added to the path on the large database only. */
  query?: string;
  script?: string;
  withSession?: boolean;
}

/** Writes a script for wrk that sends each request as a random user. Returns its path. */
async function sessionScript(folder: string, users: number): Promise<string> {
  const path = `${folder}/sessions_${users}.lua`;
  const [prefix] = tokenOf(0).split("0");
  await Deno.writeTextFile(
    path,
    `function request()
  local token = string.format("${prefix}%021d", math.random(1, ${users}))
  return wrk.format("GET", nil, { Cookie = "auth_session=" .. token })
end
`,
  );
  return path;
}
