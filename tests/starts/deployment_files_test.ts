import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { withFolder } from "../support/database/engines.ts";
import { ensure, PYTHON, SYSTEMD, YAML } from "../support/prerequisites.ts";

/** What `systemd-analyze security` may say: 0 is best, and 10 is a service without any restriction. */
const MAX_EXPOSURE = 1.5;

interface Run {
  code: number;
  output: string;
}

async function run(command: string, args: string[], env: Record<string, string> = {}): Promise<Run> {
  const { code, stdout, stderr } = await new Deno.Command(command, { args, env }).output();
  return { code, output: [stdout, stderr].map((each) => new TextDecoder().decode(each)).join("") };
}

/** Writes a file of docs/ into a folder, changed. Returns its path. */
async function copyChanged(name: string, folder: string, change: (text: string) => string): Promise<string> {
  const text = await Deno.readTextFile(new URL(`../../docs/${name}`, import.meta.url));
  await Deno.writeTextFile(`${folder}/${name}`, change(text));
  return `${folder}/${name}`;
}

// Started by hand: by systemd 252 in namespaces of its own, where it converts an image under all restrictions of the
// unit, and with podman-compose 1.0.3. The compose files were also checked with the schema of compose-spec.
Deno.test("systemd accepts the unit, and finds it hardened", () =>
  withFolder(async (folder) => {
    const analyze = await ensure(SYSTEMD);
    // The only path in it that must exist.
    const unit = await copyChanged("foyer.service", folder, (text) => {
      return text.replace("ExecStart=/usr/local/bin/deno", `ExecStart=${Deno.execPath()}`);
    });
    deepStrictEqual(await run(analyze, ["verify", "--man=no", unit]), { code: 0, output: "" });
    const { output } = await run(analyze, ["security", "--offline=true", "--no-pager", unit]);
    const exposure = Number(/Overall exposure level for foyer\.service: ([\d.]+)/.exec(output)?.[1]);
    ok(exposure <= MAX_EXPOSURE, output);
  }));

Deno.test("a mistake in the unit is found", () =>
  withFolder(async (folder) => {
    const unit = await copyChanged("foyer.service", folder, (text) => text.replace("ProtectHome=", "ProtectHomes="));
    const { output } = await run(await ensure(SYSTEMD), ["verify", "--man=no", unit]);
    ok(output.includes("ProtectHomes"), output);
  }));

Deno.test("the services of the compose files have few rights, and check their health", async () => {
  await ensure(YAML);
  const { foyer, database } = (await parse("compose.yaml")).services;
  const { mail, ...trial } = (await parse("docs/compose.trial.yaml")).services;
  for (const service of [foyer, database, mail]) {
    const { read_only, cap_drop, security_opt, tmpfs } = service;
    deepStrictEqual({ read_only, cap_drop, security_opt }, {
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
    });
    ok(tmpfs.includes("/tmp"));
  }
  strictEqual(database.healthcheck.test[1], "pg_isready");
  deepStrictEqual(Object.keys(trial), ["foyer"]);
  strictEqual(mail.network_mode, "service:foyer", "email without TLS goes only to the same machine");
  const environments = [foyer, database, trial.foyer].flatMap(({ environment }) => Object.entries(environment));
  for (const [name, value] of environments) {
    // podman-compose 1.0.3 takes no other value from .env, knows no empty default, and merges only texts.
    ok(typeof value === "string" && !/:?-\}/.test(value), `write ${name}: \${${name}} or "${value}"`);
  }
  for (const port of [...foyer.ports, ...trial.foyer.ports]) ok(port.startsWith("127.0.0.1:"), port);
});

// deno-lint-ignore no-explicit-any
async function parse(path: string): Promise<any> {
  const file = new URL(`../../${path}`, import.meta.url).pathname;
  const { code, output } = await run(PYTHON, [
    "-c",
    "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))",
    file,
  ]);
  strictEqual(code, 0, output);
  return JSON.parse(output);
}
