/**
 * Measures the app and a minimal implementation of the same work alternately, and prints a table.
 *
 *     deno task bench                 everything; takes 15 minutes
 *     deno task bench reads logins    only these sections
 *
 * Requires PostgreSQL and wrk. When run as root on a system with apt-get, this installs them if they are missing.
 */
import { buildApp } from "../support/app_process.ts";
import { ensure, POSTGRES, WRK } from "../support/prerequisites.ts";
import { growth } from "./growth.ts";
import { images } from "./images.ts";
import { ageing, cores, starts } from "./life.ts";
import { logins } from "./logins.ts";
import { reads } from "./reads.ts";
import { openRig, type Rig } from "./rig.ts";
import { type Row, table } from "./table.ts";

const SECTIONS: Record<string, (rig: Rig) => Promise<Row[]>> = { reads, logins, images, cores, starts, growth, ageing };

const chosen = Deno.args.length > 0 ? Deno.args : Object.keys(SECTIONS);
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
