/** The programs that run with the app's permissions: files of this folder. */
export type Program = "start" | "migrate" | "foyer";

/** V8 flags of the process that serves. docs/decisions.md has the reasons. */
const V8_FLAGS = "--v8-flags=--no-allocation-site-pretenuring,--wasm-tiering-budget=130000000";
const DEFAULT_DATA_DIR = ".data";

/** Returns the arguments with which `deno` runs a program in the project folder: it may use its data, and little else. */
export function appArguments(program: Program, dataDir: string | undefined): string[] {
  const data = dataDir || DEFAULT_DATA_DIR;
  const packages = packagesFolder();
  return [
    "run",
    ...(program === "start" ? [V8_FLAGS] : []),
    "--quiet",
    "--permission-set=app",
    `--allow-read=.,${data},${packages},/usr/bin/ldd`,
    `--allow-write=${data}`,
    `--allow-ffi=${packages}`,
    `lib/server/${program}.ts`,
  ];
}

/** Returns Deno's folder of npm packages. sharp and imagescript load native libraries from it. */
function packagesFolder(): string {
  return decodeURIComponent(new URL("../../..", import.meta.resolve("sharp")).pathname);
}
