/**
 * Measures the app beside the least code that does the same, in turns, and prints a table.
 *
 *     deno task bench                 everything, a quarter of an hour
 *     deno task bench reads logins    these sections only
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
  console.error(`There is no section ${unknown.join(", ")}; the sections are ${Object.keys(SECTIONS).join(", ")}.`);
  Deno.exit(2);
}
for (const prerequisite of [POSTGRES, WRK]) await ensure(prerequisite);
await buildApp();
const rows: Row[] = [];
for (const name of chosen) {
  console.error(`measuring ${name} ...`);
  await using rig = await openRig();
  const section = await SECTIONS[name](rig);
  console.error(table(section));
  rows.push(...section);
}
console.log(table(rows));
