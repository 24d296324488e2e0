#!/usr/bin/env node
/**
 * The command of the package, which Node runs: it runs the launcher with the permissions that its task has. It forwards
 * signals and ends with the exit code of the launcher.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const ENDING = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"] as const;
const PARENT_CHECK_MS = 500;

const root = fileURLToPath(new URL("../..", import.meta.url));
const config = join(root, "deno.json");
const words = process.argv.slice(2);
const { tasks } = JSON.parse(readFileSync(config, "utf8"));
const isStart = ["", "start"].includes(words.join(" "));
const [, run, ...args] = tasks[isStart ? "start" : "foyer"].command.split(" ");
const inRoot = args.map((arg: string) => arg.endsWith(".js") ? join(root, arg) : arg);
const child = spawn(findDeno(), [run, `--config=${config}`, ...inRoot, ...isStart ? [] : words], {
  stdio: "inherit",
  env: { ...process.env, DENO_NO_UPDATE_CHECK: "1" },
});
if (process.env.npm_command !== undefined) stopWithShell();
for (const signal of ENDING) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal!]));

/**
 * npx and npm scripts pass a signal only to a shell between them and this process. When that shell has ended, this
 * process gets another parent.
 */
function stopWithShell(): void {
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    child.kill("SIGTERM");
  }, PARENT_CHECK_MS);
}

/** Returns the path of Deno in the package for this system. The program of `deno` itself does not forward signals. */
function findDeno(): string {
  const system = `${process.platform}-${process.arch}${process.platform === "linux" ? "-glibc" : ""}`;
  const deno = createRequire(createRequire(import.meta.url).resolve("deno/package.json"));
  try {
    return join(dirname(deno.resolve(`@deno/${system}/package.json`)), "deno");
  } catch {
    console.error(
      `Foyer needs the package @deno/${system}. It exists for Linux with glibc and for macOS, on x64 and arm64`,
    );
    process.exit(1);
  }
}
