import { ok, strictEqual } from "node:assert/strict";
import { HOUR_SECONDS, MINUTE_SECONDS } from "../../lib/duration.ts";
import { copyFolder } from "../support/database/copy_folder.ts";
import { runModel, summary } from "./model.ts";
import { plant, PLANTED_FAULTS, type PlantedFault } from "./planted_faults.ts";

/** What is long in the tests of the model. A failure names the seed that repeats it. */

const FAULT_SECONDS = 10 * MINUTE_SECONDS;
const TRUE_SECONDS = 2 * HOUR_SECONDS;
const TEN_YEARS = { days: 3650, daysBetween: 91 };
/** What the copy of the source does not need. */
const NOT_COPIED = /^(\.git|\.data|data|dist|coverage|screenshots|node_modules)/;

for (const fault of PLANTED_FAULTS) {
  Deno.test(`the model finds within ten minutes that ${fault.name}`, async () => {
    const seed = crypto.randomUUID().slice(0, 8);
    const output = await runWith(fault, seed);
    const broken = [...output.matchAll(/^Broken: (.*)$/gm)].map(([, rule]) => rule);
    ok(broken.includes(fault.breaks), `MODEL_SEED=${seed} did not find it: ${output}`);
    console.log(`${fault.name}: ${output.match(/^\d+ rounds, .*$/m)}`);
  });
}

Deno.test("two hours of the model break no rule", async () => {
  const run = await runModel({ seed: crypto.randomUUID().slice(0, 8), seconds: TRUE_SECONDS });
  console.log(summary(run));
  strictEqual(run.violations.length, 0, summary(run));
});

Deno.test("ten years of the clock break no rule", async () => {
  const { days, daysBetween } = TEN_YEARS;
  const run = await runModel({ seed: crypto.randomUUID().slice(0, 8), rounds: days / daysBetween, daysBetween });
  console.log(summary(run));
  strictEqual(run.violations.length, 0, summary(run));
});

/** Runs the model in a copy of the source with the fault. Returns what it printed. */
async function runWith(fault: PlantedFault, seed: string): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "foyer-fault-" });
  try {
    for await (const { name } of Deno.readDir(".")) {
      if (!NOT_COPIED.test(name)) await copyFolder(name, `${folder}/${name}`);
    }
    await plant(fault, folder);
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["test", "-A", "--no-check", "tests/model/model_test.ts"],
      cwd: folder,
      env: { MODEL_SEED: seed, MODEL_SECONDS: String(FAULT_SECONDS), NO_COLOR: "1" },
    }).output();
    return [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("\n");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
