import { ok, strictEqual } from "node:assert/strict";
import { sql } from "kysely";
import { openDatabase } from "../../db/connection.ts";
import { type AppProcess, buildApp, startApp, type StartOptions } from "../support/processes/app_process.ts";
import { testOnEachEngine } from "../support/database/engines.ts";
import { measureStrain } from "../support/processes/process_probe.ts";
import { register, type Session } from "../support/processes/process_session.ts";

const EVENTS = 100_000;
const MEBIBYTE = 1024 * 1024;
/** The longest that the export may hold up another request. */
const BLOCKED_MAX_MS = 100;
/** The whole file would be about 35 MiB of text, and its rows several times that. */
const GROWTH_MAX_BYTES = 150 * MEBIBYTE;
await buildApp();

testOnEachEngine("an export of 100,000 events holds up no other request and needs little memory", async (
  engine,
  dataDir,
) => {
  const options = { dataDir, env: engine.env };
  const session = await registerWithEvents(options);
  await using app = await startApp(options);
  await downloadExport(app, await register(app, "few@example.com")); // the engine compiles each query at its first run
  let text = "";
  const measure = () => measureStrain(app, async () => void (text = await downloadExport(app, session)));
  const first = await measure();
  // An export that really blocks does so twice, unlike a pause of the machine.
  const runs = first.blockedMs < BLOCKED_MAX_MS ? [first] : [first, await measure()];
  const measured = runs.map(({ growthBytes, healthMs, blockedMs }) =>
    `${Math.round(growthBytes / MEBIBYTE)} MiB; health took up to ${Math.round(healthMs.at(-1)!)} ms, ` +
    `blocked for ${Math.round(blockedMs)} ms`
  ).join(", then ");
  ok(runs.at(-1)!.blockedMs < BLOCKED_MAX_MS, measured);
  ok(first.growthBytes < GROWTH_MAX_BYTES, measured);
  ok(JSON.parse(text).events.length > EVENTS);
}, { inTurn: true });

async function downloadExport(app: AppProcess, { cookie }: Session): Promise<string> {
  const response = await fetch(`${app.url}/api/account/export`, { headers: { Cookie: cookie } });
  strictEqual(response.status, 200);
  return await response.text();
}

/** Registers a user who then has many events. The app must not run meanwhile: it locks the embedded database. */
async function registerWithEvents(options: StartOptions): Promise<Session> {
  const app = await startApp(options);
  const session = await register(app, "many@example.com");
  app.kill("SIGTERM");
  await app.ended;
  const { DATABASE_URL: databaseUrl } = options.env ?? {};
  const { longWork, close } = await openDatabase({
    databaseUrl,
    directory: `${options.dataDir}/database`,
    log: () => {},
  });
  // A busy machine may need longer for them than requests may wait.
  await longWork((db) =>
    sql`
      insert into events (id, user_id, actor_id, kind, client_address, device, details, created_at)
      select '01000000-0000-7000-8000-' || lpad(n::text, 12, '0'), id, id, 'user.updated', '192.0.2.1',
        'Mozilla/5.0 (X11; Linux x86_64)', '{"fields": ["name", "bio"]}', now()
      from users, generate_series(1, ${EVENTS}::int) n
    `.execute(db)
  );
  await close();
  return session;
}
