import { deepStrictEqual, strictEqual, throws } from "node:assert/strict";
import { folderOf, withPackages } from "./lock_file.ts";

const LOCK = {
  version: "5",
  specifiers: {
    "npm:@scope/app@1.0.0": "1.0.0_peer@3.0.0",
    "npm:old@1.0.0": "1.0.0",
    "npm:test@1.0.0": "1.0.0",
  },
  npm: {
    "@scope/app@1.0.0_peer@3.0.0": { integrity: "a", dependencies: ["one", "two@2.0.0"], optionalPeers: ["peer"] },
    "one@1.0.0": { integrity: "b", dependencies: ["other@npm:real@4.0.0"] },
    "onerous@1.0.0": { integrity: "c" },
    "two@1.0.0": { integrity: "d" },
    "two@2.0.0": { integrity: "e", optionalDependencies: ["one"] },
    "peer@3.0.0": { integrity: "f" },
    "real@4.0.0": { integrity: "g" },
    "old@1.0.0": { integrity: "h" },
    "test@1.0.0": { integrity: "i", dependencies: ["two@1.0.0"] },
  },
  workspace: { dependencies: ["npm:@scope/app@1.0.0", "npm:old@1.0.0", "npm:test@1.0.0"] },
};

Deno.test("a lock file for some packages has what they need, and nothing else", () => {
  const { version, specifiers, npm, workspace } = withPackages(LOCK, ["@scope/app@1.0.0_peer@3.0.0"]);
  strictEqual(version, "5");
  deepStrictEqual(specifiers, { "npm:@scope/app@1.0.0": "1.0.0_peer@3.0.0" });
  deepStrictEqual(Object.keys(npm), [
    "@scope/app@1.0.0_peer@3.0.0",
    "one@1.0.0",
    "two@2.0.0",
    "peer@3.0.0",
    "real@4.0.0",
  ]);
  deepStrictEqual(npm["one@1.0.0"], LOCK.npm["one@1.0.0"], "the hash stays");
  deepStrictEqual(workspace.dependencies, ["npm:@scope/app@1.0.0"]);
});

Deno.test("a lock file without a package that is needed is an error", () => {
  const npm = { "test@1.0.0": { integrity: "i", dependencies: ["absent"] } };
  throws(() => withPackages({ ...LOCK, npm }, ["test@1.0.0"]), /deno.lock has no package absent/);
});

Deno.test("the folder of a package is its name and version, without peers", () => {
  strictEqual(folderOf("@scope/app@1.0.0_peer@3.0.0"), "@scope/app/1.0.0");
  strictEqual(folderOf("one@1.0.0-rc.1"), "one/1.0.0-rc.1");
});
