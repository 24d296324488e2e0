import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { VARIABLES } from "../lib/config/environment.ts";
import { appArguments } from "../lib/server/app_arguments.ts";
import { withFolder } from "./support/database/engines.ts";

/** Prints which actions are allowed. A variable that must not be read is undefined. */
const PROBE = `
  const isAllowed = ([, act]) => {
    try {
      return act() !== undefined;
    } catch (error) {
      return error.name !== "NotCapable";
    }
  };
  const data = Deno.env.get("DATA_DIR");
  const actions = {
    otherFile: () => Deno.readTextFileSync("/etc/passwd"),
    otherVariable: () => Deno.env.get("HOME"),
    sourceChange: () => Deno.openSync("main.ts", { write: true }),
    command: () => new Deno.Command("true").outputSync(),
    uploadedLibrary: () => Deno.dlopen(data + "/library.so", {}),
    dataFile: () => Deno.openSync(data + "/file", { read: true, write: true, create: true }),
    ownVariable: () => data,
    providerVariable: () => Deno.env.toObject().IDP_CONTOSO_ISSUER,
  };
  console.log(Object.entries(actions).filter(isAllowed).map(([name]) => name).join());
`;

for (const task of ["start", "migrate", "foyer"] as const) {
  Deno.test(`in the task ${task}, the app can access its data, but no other files, variables or programs`, () =>
    withFolder(async (folder) => {
      await Deno.writeTextFile(`${folder}/probe.ts`, PROBE);
      const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: [...appArguments(task, folder).slice(0, -1), "--config=deno.json", `${folder}/probe.ts`],
        env: { DATA_DIR: folder, DENO_NO_PROMPT: "1", IDP_CONTOSO_ISSUER: "https://id.example" },
        stdin: "null",
      }).output();
      const decoder = new TextDecoder();
      strictEqual(decoder.decode(stdout), "dataFile,ownVariable,providerVariable\n", decoder.decode(stderr));
    }));
}

Deno.test("the app may read every variable of its configuration", async () => {
  const { permissions } = JSON.parse(await Deno.readTextFile(new URL("../deno.json", import.meta.url)));
  const allowed: string[] = permissions.app.env.allow;
  const isAllowed = (name: string) => allowed.some((each) => name === each || matchesWildcard(name, each));
  deepStrictEqual(VARIABLES.filter((name) => !isAllowed(name)), []);
});

function matchesWildcard(name: string, pattern: string): boolean {
  return pattern.endsWith("*") && name.startsWith(pattern.slice(0, -1));
}
