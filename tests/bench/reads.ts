import { register } from "../support/processes/process_session.ts";
import { load } from "./load.ts";
import { type Rig, startBare, startFoyer } from "./rig.ts";
import { fill } from "./seed.ts";
import { inTurns, type Row } from "./table.ts";

/** Enough for the system to distribute them evenly: of eight connections, one isolate often got six. */
const CONNECTIONS = 32;
const SECONDS = 2;
const LISTED_USERS = 50;

/** Compares reads, with one isolate and with the default number, to a bare server with one isolate. */
export async function reads({ cluster, folder }: Rig): Promise<Row[]> {
  const env = { DATABASE_URL: cluster.url, LIMIT_TOKEN: "off" };
  await using one = await startFoyer({ folder }, { ...env, DENO_JOBS: "1" });
  await using all = await startFoyer({ folder }, env);
  const session = await register(one, "reads@example.com");
  const { user } = await (await session.request("/api/profile")).json();
  const { token } = await (await session.post("/api/tokens", { name: "Reads", scopes: ["profile:read"] })).json();
  await fill(cluster.url, LISTED_USERS);

  const rows: Row[] = [];
  const compare = async (what: string, { bare, path, barePath, target, headers }: Comparison) => {
    await using server = await startBare(bare, env);
    const rate = (url: string) => async () =>
      (await load({ url, headers, connections: CONNECTIONS, seconds: SECONDS })).requestsPerSecond;
    const bareRate = rate(server.url + barePath);
    for (const [suffix, app] of [[", one isolate", one], ["", all]] as const) {
      const rates = await inTurns(rate(app.url + path), bareRate);
      rows.push({ what: what + suffix, ...rates, unit: "/s", target });
    }
  };
  await compare("`GET /api/health`", { bare: "health", path: "/api/health", barePath: "/", target: ">= 0.8" });
  const bareUser = { bare: "user", barePath: `/${user.id}` };
  await compare("`GET /api/users/:id`", { ...bareUser, path: `/api/users/${user.id}`, target: ">= 0.7" });
  await compare(`\`GET /api/users\`, ${LISTED_USERS} users`, {
    bare: "users",
    path: `/api/users?limit=${LISTED_USERS}`,
    barePath: `/${LISTED_USERS}`,
    target: ">= 0.7",
  });
  await compare("`GET /api/profile`, compared to a bare user", {
    ...bareUser,
    path: "/api/profile",
    target: ">= 0.4",
    headers: { Cookie: session.cookie },
  });
  await compare("`GET /api/profile` with an API token, not limited, compared to a bare user", {
    ...bareUser,
    path: "/api/profile",
    target: ">= 0.4",
    headers: { Authorization: `Bearer ${token}` },
  });
  await compare("page `/login`", { bare: "login", path: "/login", barePath: "/", target: ">= 0.6" });
  return rows;
}

interface Comparison {
  bare: string;
  path: string;
  barePath: string;
  target: string;
  headers?: Record<string, string>;
}
