import { createHash } from "node:crypto";
import { register } from "../support/process_session.ts";
import { load } from "./load.ts";
import { type Rig, startBare, startFoyer } from "./rig.ts";
import { inTurns, type Row } from "./table.ts";

/** Enough for the system to distribute them evenly: of eight connections, one isolate often got six. */
const CONNECTIONS = 32;
const SECONDS = 2;

/** Compares single reads, with one isolate and with the default number, to a bare server with the same query. */
export async function reads({ cluster, folder }: Rig): Promise<Row[]> {
  const env = { DATABASE_URL: cluster.url };
  await using one = await startFoyer({ folder }, { ...env, DENO_JOBS: "1" });
  await using all = await startFoyer({ folder }, env);
  const session = await register(one, "reads@example.com");
  const { user } = await (await session.request("/api/profile")).json();
  const sessionId = createHash("sha256").update(session.cookie.split("=")[1]).digest("base64url");

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
  await compare("`GET /api/users/:id`", {
    bare: "user",
    path: `/api/users/${user.id}`,
    barePath: `/${user.id}`,
    target: ">= 0.75",
  });
  await compare("`GET /api/profile`", {
    bare: "profile",
    path: "/api/profile",
    barePath: `/${sessionId}`,
    target: ">= 0.6",
    headers: { Cookie: session.cookie },
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
