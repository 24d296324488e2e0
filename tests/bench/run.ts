/**
 * Measures the app and a minimal implementation of the same work alternately, and prints a table.
 *
 *     deno task bench                 everything; takes 15 minutes
 *     deno task bench reads logins    only these sections
 *     deno task bench soak            10 minutes of traffic while PostgreSQL is killed; --soak-seconds=180 shortens it
 *
 * Requires PostgreSQL and wrk. When run as root on a system with apt-get, this installs them if they are missing.
 */
import { buildApp } from "../support/processes/app_process.ts";
import { ensure, POSTGRES, WRK } from "../support/prerequisites.ts";
import { grants } from "./grants.ts";
import { growth } from "./growth.ts";
import { images } from "./images.ts";
import { largeFiles } from "./large_files.ts";
import { aging, cores, firstStarts, starts } from "./life.ts";
import { logins } from "./logins.ts";
import { reads } from "./reads.ts";
import { refreshes } from "./refreshes.ts";
import { openRig, type Rig } from "./rig.ts";
import { soak } from "./soak.ts";
import { type Row, table } from "./table.ts";

const SECTIONS: Record<string, (rig: Rig) => Promise<Row[]>> = {
  reads,
  logins,
  refreshes,
  grants,
  images,
  largeFiles,
  cores,
  starts,
  firstStarts,
  growth,
  aging,
  soak: (rig) => soak(rig, soakSeconds),
};

const [durations, names] = [true, false].map((wanted) => Deno.args.filter((each) => each.startsWith("--") === wanted));
const soakSeconds = Number(durations[0]?.replace("--soak-seconds=", "") ?? 600);
const chosen = names.length > 0 ? names : Object.keys(SECTIONS).filter((name) => name !== "soak");
const unknown = chosen.filter((name) => !(name in SECTIONS));
if (unknown.length > 0) {
  console.error(`Unknown section: ${unknown.join(", ")}. The sections are: ${Object.keys(SECTIONS).join(", ")}`);
  Deno.exit(2);
}
for (const prerequisite of [POSTGRES, WRK]) await ensure(prerequisite);
await buildApp();
const rows: Row[] = [];
for (const name of chosen) {
  console.error(`Measuring ${name}…`);
  await using rig = await openRig();
  const section = await SECTIONS[name](rig);
  console.error(table(section));
  rows.push(...section);
}
console.log(table(rows));
