import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { ConversionRequest } from "../lib/images/conversion_requests.ts";
import { borrowConverter } from "../lib/images/converter_connection.ts";
import { appArguments, converterArguments } from "../lib/server/app_arguments.ts";
import { listenForConverters } from "../lib/server/converters.ts";
import { withFolder } from "./support/database/engines.ts";
import { withPermissions } from "./support/source/written_settings.ts";
import { waitFor } from "./support/wait_for.ts";

/** Prints the result of each action: "ok", the name of its error, or "undefined" for a variable that is hidden. */
const PROBE = `
  const [folder, libraryOfPackage] = Deno.args;
  const resultOf = (act) => {
    try {
      return act() === undefined ? "undefined" : "ok";
    } catch (error) {
      return error.name;
    }
  };
  const actions = {
    otherFile: () => Deno.readTextFileSync("/etc/passwd"),
    sourceChange: () => Deno.openSync("main.ts", { write: true }),
    program: () => new Deno.Command("true").outputSync(),
    uploadedLibrary: () => Deno.dlopen(folder + "/library.so", {}),
    packageLibrary: () => Deno.dlopen(libraryOfPackage, {}),
    otherVariable: () => Deno.env.get("HOME"),
    readFile: () => Deno.openSync(folder + "/file"),
    dataFile: () => Deno.openSync(folder + "/file", { read: true, write: true, create: true }),
    port: () => Deno.listen({ port: 0 }),
    ownVariable: () => Deno.env.get("DATA_DIR"),
    providerVariable: () => Deno.env.toObject().IDP_CONTOSO_ISSUER,
  };
  console.log(JSON.stringify(Object.fromEntries(Object.entries(actions).map(([name, act]) => [name, resultOf(act)]))));
`;
const FORBIDDEN = "NotCapable";
/** What neither the app nor a converter may do. */
const NEITHER = {
  otherFile: FORBIDDEN,
  sourceChange: FORBIDDEN,
  program: FORBIDDEN,
  uploadedLibrary: FORBIDDEN,
  otherVariable: "undefined",
};
/** It does not exist, but an attempt to load it shows whether that is permitted. */
const LIBRARY_OF_PACKAGE = new URL("../../../library.so", import.meta.resolve("sharp")).pathname;

/** Runs the probe with the arguments of a program, in its place. */
async function probe(folder: string, args: string[]): Promise<Record<string, string>> {
  await Deno.writeTextFile(`${folder}/probe.ts`, PROBE);
  const flags = args.slice(0, args.findIndex((each) => each.endsWith(".ts")));
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...flags, `${folder}/probe.ts`, folder, LIBRARY_OF_PACKAGE],
    env: { DATA_DIR: folder, DENO_NO_PROMPT: "1", IDP_CONTOSO_ISSUER: "https://id.example" },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  strictEqual(decoder.decode(stderr), "");
  return JSON.parse(decoder.decode(stdout));
}

for (const task of ["start", "migrate", "foyer"] as const) {
  Deno.test(`in the task ${task}, the app may use its data, but no other files, variables, programs or libraries`, () =>
    withFolder(async (folder) => {
      deepStrictEqual(await probe(folder, appArguments(task, { dataDir: folder })), {
        ...NEITHER,
        packageLibrary: FORBIDDEN,
        readFile: "NotFound",
        dataFile: "ok",
        port: "ok",
        ownVariable: "ok",
        providerVariable: "ok",
      });
    }));
}

Deno.test("commands may use the files that they name: an export and a preview write theirs, and an import reads its own", () =>
  withFolder((folder) => {
    const dataDir = `${folder}/data`;
    const results: Record<string, unknown> = {};
    const commands = [
      "export a.tar",
      "--json export a.tar",
      "import b.tar --deleted=a.tar",
      "mails preview reset --out=a.eml",
      "mails preview --out a.eml reset",
      "mails preview reset --language a.tar --out a.eml",
      "mails list a.eml",
      "uploads check a.tar",
      "users import a.eml --dry-run",
      "users show a.eml",
    ];
    for (const args of commands) {
      const named = args.split(" ").map((arg) => arg.replace(/(?=[ab]\.(tar|eml))/, `${folder}/`));
      const flags = appArguments("foyer", { dataDir }, named);
      deepStrictEqual(flags.slice(-named.length), named);
      const allowed = (kind: string) => flags.find((flag) => flag.startsWith(`--allow-${kind}=`))!.split(/[=,]/);
      results[args] = ["read", "write"].map((kind) =>
        allowed(kind).filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1))
          .join()
      );
    }
    const written = "data,a.tar,a.tar.partial,a.tar.rows";
    deepStrictEqual(results, {
      "export a.tar": [written, written],
      "--json export a.tar": [written, written],
      "import b.tar --deleted=a.tar": ["data,b.tar,a.tar", "data"],
      "mails preview reset --out=a.eml": ["data", "data,a.eml"],
      "mails preview --out a.eml reset": ["data", "data,a.eml"],
      "mails preview reset --language a.tar --out a.eml": ["data", "data,a.eml"],
      "mails list a.eml": ["data", "data"],
      "uploads check a.tar": ["data", "data"],
      "users import a.eml --dry-run": ["data,a.eml", "data"],
      "users show a.eml": ["data", "data"],
    });
    return Promise.resolve();
  }));

Deno.test("a converter may load the libraries of packages and read its images, and nothing else", () =>
  withFolder(async (folder) => {
    const images = `${folder}/images`;
    await Deno.mkdir(images);
    await Deno.writeTextFile(`${images}/file`, "");
    deepStrictEqual(await probe(images, converterArguments(images)), {
      ...NEITHER,
      packageLibrary: "Error",
      dataFile: FORBIDDEN, // it may be read only
      readFile: "ok",
      port: FORBIDDEN,
      ownVariable: "undefined",
      providerVariable: "undefined",
    });
  }));

Deno.test("the environment of a converter contains only what Deno and the C library need", async () => {
  using converters = listenForConverters();
  const converter = await borrowConverter(converters.folder, {} as ConversionRequest);
  const readEnvironment = async () => await Deno.readTextFile(`/proc/${converters.pids()[0]}/environ`);
  const ownEnvironment = await Deno.readTextFile("/proc/self/environ");
  let environment = ""; // also while the program is being replaced
  await waitFor("its program", async () => !["", ownEnvironment].includes(environment = await readEnvironment()));
  const names = environment.split("\0").map((line) => line.split("=")[0]).filter(Boolean);
  const needed = /^(DENO_DIR|HOME|XDG_CACHE_HOME|NPM_CONFIG_REGISTRY|LD_(LIBRARY_PATH|PRELOAD)|MALLOC_.*)$/;
  deepStrictEqual(names.filter((name) => !needed.test(name)), []);
  ok(names.length > 0);
  converter.close();
});

Deno.test("the app may read the variables of its configuration, as `deno task settings` writes them", async () => {
  const json = await Deno.readTextFile(new URL("../deno.json", import.meta.url));
  strictEqual(json, withPermissions(json));
});
