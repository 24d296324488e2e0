import { rejects } from "node:assert/strict";
import { ConfigError, readSettings } from "./config.ts";
import { requireDataDir } from "./data_dir.ts";

const IMPOSSIBLE = new ConfigError(
  "DATA_DIR cannot be written to: /proc/foyer: no folder can be created there. Example: DATA_DIR=/var/lib/foyer",
);
const refuses = () => rejects(requireDataDir(readSettings({ DATA_DIR: "/proc/foyer" })), IMPOSSIBLE);

Deno.test({
  name: "a data directory that the system does not create is refused in plain words",
  ignore: Deno.build.os !== "linux",
  fn: refuses,
});

Deno.test({
  name: "a data directory that Deno does not permit is refused in plain words",
  permissions: { read: true, write: ["/var/lib/foyer"] },
  fn: refuses,
});
