import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { IS_PACKAGE } from "../config/command_name.ts";
import { ENV_FILE } from "../config/env_file.ts";
import { certificateFiles, parseDatabaseUrl, socketPath } from "../config/database_url.ts";
import { unfinishedFiles } from "../installation/backup/unfinished_files.ts";

/** The programs that run with the app's permissions. */
const PROGRAMS = { start: "./start.ts", migrate: "./migrate.ts", foyer: "./foyer.ts" };

/** The name of a program. */
export type Program = keyof typeof PROGRAMS;

/** The folder of the project, or of the package. */
const ROOT = pathOf("../..");
/** By its path, because the current folder may be another one. */
const CONFIG = `--config=${ROOT}/deno.json`;

/** V8 flags of the process that serves. docs/decisions.md has the reasons. */
const V8_FLAGS = "--v8-flags=--no-allocation-site-pretenuring,--wasm-tiering-budget=130000000";
/** Where data is stored if DATA_DIR is not set, in the current folder. */
export const DEFAULT_DATA_DIR = ".data";

/**
 * Variables of processes that handle images. They make the C library return the memory of large buffers to the system.
 * Otherwise it keeps some of that memory: about 60 MB in a converter, and as much in the service.
 */
export const ALLOCATION = { MALLOC_TRIM_THRESHOLD_: "1000000" };

/** Paths that the app may use besides its own. */
export interface AppPaths {
  /** DATA_DIR, if it is set. */
  dataDir: string | undefined;
  /** DATABASE_URL, if it is set. */
  databaseUrl?: string;
  /** AUDIT_LOG, if it is set. */
  auditLog?: string;
  /** The files of the brand and of clients, if there are any. */
  ownFiles?: string[];
  /** TEXTS_DIR, if it is set. */
  textsDir?: string;
  /** The folder that the service shares with its image converters. Programs that convert no images have none. */
  converterFolder?: string;
}

/**
 * Returns the files that `foyer` may use, because its arguments name them, or its command, and the programs that it may
 * run. With `leavesData`, it may not write its data.
 */
function namedFiles(args: string[]): { read: string[]; written: string[]; leavesData?: true; programs?: string[] } {
  const [command, ...named] = args.map((arg) => arg.replace(/^--(back|deleted|files|out)=/, ""))
    .filter((arg, index) => !arg.startsWith("-") && args[index - 1] !== "--language");
  if (command === "init") return { read: [ENV_FILE], written: [ENV_FILE] };
  if (command === "import") return { read: named, written: [] };
  if (command === "rehearse") {
    const isBack = args.some((arg) => arg.startsWith("--back"));
    return { read: [...named, tmpdir()], written: [tmpdir()], leavesData: true, programs: isBack ? ["npm"] : [] };
  }
  if (command === "users" && named[0] === "import") return { read: named.slice(1), written: [] };
  if (command === "clients" && named[0] === "check") return { read: named.slice(1), written: [] };
  // The kind of the email is no file, but it does no harm.
  if (command === "mails" && named[0] === "preview") return { read: [], written: named.slice(1) };
  if (command !== "export") return { read: [], written: [] };
  const written = named.flatMap((file) => [file, ...Object.values(unfinishedFiles(file))]);
  return { read: written, written };
}

/**
 * Returns the arguments with which `deno` runs a program, in any folder: it may use its data, and little else.
 *
 * @param args the arguments of the program itself.
 */
export function appArguments(
  program: Program,
  { dataDir, databaseUrl = "", auditLog, textsDir, converterFolder, ownFiles = [] }: AppPaths,
  args: string[] = [],
): string[] {
  const named = namedFiles(program === "foyer" ? args : []);
  const data = dataDir || DEFAULT_DATA_DIR;
  const database = parseDatabaseUrl(databaseUrl);
  const socket = database && socketPath(database);
  const own = [data, ...linksIn(data), auditLog, converterFolder, socket].filter((path) => path != null);
  const certificates = database ? certificateFiles(database) : [];
  return [
    "run",
    ...(program === "start" ? [V8_FLAGS] : []),
    "--quiet",
    CONFIG,
    "--permission-set=app",
    allow("read", [
      ROOT,
      ...own,
      ...textsDir ? [textsDir] : [],
      ...ownFiles,
      ...certificates,
      ...named.read,
      packagesFolder(),
    ]),
    allow("write", [...named.leavesData ? [] : own, ...named.written]),
    ...named.programs?.length ? [`--allow-run=${named.programs}`, "--allow-env=HOME,PATH"] : [],
    pathOf(PROGRAMS[program]),
    ...args,
  ];
}

/** Returns the arguments with which `deno` runs an image converter: it may load native code, and read a folder. */
export function converterArguments(folder: string): string[] {
  const packages = packagesFolder();
  return [
    "run",
    "--quiet",
    CONFIG,
    "--no-prompt",
    "--cached-only",
    "--ignore-env",
    allow("read", [folder, packages, "/usr/bin/ldd"]),
    allow("ffi", [packages]),
    pathOf("../images/converter_process.ts"),
    folder,
  ];
}

/** Permits paths, and what they lead to through symbolic links: some code opens files by their real paths. */
function allow(kind: "read" | "write" | "ffi", paths: string[]): string {
  return `--allow-${kind}=${[...new Set(paths.flatMap((path) => [path, withoutLinks(path)]))].join()}`;
}

/** Resolves the links in a path whose end may not exist yet. */
function withoutLinks(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(withoutLinks(parent), basename(path));
  }
}

/** Returns the links in a folder, such as `objects` on a larger disk. Deno does not permit the app to make any. */
function linksIn(folder: string): string[] {
  try {
    return Array.from(Deno.readDirSync(folder)).flatMap((entry) => entry.isSymlink ? [join(folder, entry.name)] : []);
  } catch {
    return []; // it does not exist yet
  }
}

/** Returns the folder of npm packages: Deno's own, or the one in which the package is installed. */
export function packagesFolder(): string {
  return IS_PACKAGE
    ? ROOT.replace(/\/node_modules\/.*/, "/node_modules")
    : pathOf("../../..", import.meta.resolve("sharp"));
}

/** Returns a path relative to this file, or to another one. */
function pathOf(path: string, base: string = import.meta.url): string {
  return decodeURIComponent(new URL(path, base).pathname).replace(/\/$/, "");
}
