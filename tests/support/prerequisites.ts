/** Folder of the newest PostgreSQL server that is installed, or null. */
export async function postgresBinaries(): Promise<string | null> {
  const versions = (await names("/usr/lib/postgresql")).map(Number).filter(Number.isFinite).sort((a, b) => b - a);
  for (const version of versions) {
    const folder = `/usr/lib/postgresql/${version}/bin`;
    if (await exists(`${folder}/initdb`) && await exists(`${folder}/postgres`)) return folder;
  }
  return null;
}

/**
 * Path of Chromium, or null; CHROMIUM_PATH decides where it is set.
 *
 * @throws {Error} when CHROMIUM_PATH leads nowhere.
 */
export async function chromiumPath(): Promise<string | null> {
  const chosen = Deno.env.get("CHROMIUM_PATH");
  if (chosen && !await exists(chosen)) throw new Error(`Chromium is missing: CHROMIUM_PATH is ${chosen}`);
  const path = chosen || "/usr/bin/chromium";
  return await exists(path) ? path : null;
}

/** The distribution's own Python: no other one knows its packages. */
export const PYTHON = "/usr/bin/python3";

/** Path of a Python that has OpenStack Swift, or null. */
async function swiftPython(): Promise<string | null> {
  if (!await exists(PYTHON)) return null;
  const probe = new Deno.Command(PYTHON, { args: ["-c", "import swift.proxy.server"], stderr: "null" });
  return (await probe.output()).success ? PYTHON : null;
}

/** Path of a program that is there or not. */
const installed = (path: string) => async () => await exists(path) ? path : null;

/** Something that tests need and Debian has a package for. */
export interface Prerequisite {
  name: string;
  debianPackage: string;
  find(): Promise<string | null>;
}

export const CHROMIUM: Prerequisite = { name: "Chromium", debianPackage: "chromium", find: chromiumPath };
export const POSTGRES: Prerequisite = { name: "PostgreSQL", debianPackage: "postgresql", find: postgresBinaries };
export const NGINX: Prerequisite = { name: "nginx", debianPackage: "nginx", find: installed("/usr/sbin/nginx") };
export const OPENSSL: Prerequisite = { name: "OpenSSL", debianPackage: "openssl", find: installed("/usr/bin/openssl") };
export const SWIFT: Prerequisite = { name: "OpenStack Swift", debianPackage: "python3-swift", find: swiftPython };
export const WRK: Prerequisite = { name: "wrk", debianPackage: "wrk", find: () => pathIfThere("/usr/bin/wrk") };

/**
 * Finds what is needed, installing it where root and apt-get are at hand.
 *
 * @throws {Error} whose text says what is missing and how to get it.
 */
export async function ensure({ name, debianPackage, find }: Prerequisite): Promise<string> {
  const present = await find();
  if (present !== null) return present;
  const advice = `${name} is missing: apt-get install ${debianPackage}` +
    (debianPackage === "chromium" ? ", or set CHROMIUM_PATH" : "");
  if (Deno.uid() !== 0 || !await exists(APT_GET)) throw new Error(advice);
  try {
    await install(debianPackage);
  } catch (error) {
    throw new Error(`${advice}; the attempt to do so failed: ${error instanceof Error ? error.message : error}`);
  }
  const found = await find();
  if (found === null) throw new Error(`${advice}; the attempt to do so went well, but ${name} is still not there`);
  return found;
}

const APT_GET = "/usr/bin/apt-get";
/** Debian's PostgreSQL would make and start a cluster of its own, unless a file in this folder says no. */
const CLUSTER_SETTINGS = "/etc/postgresql-common/createcluster.d";

/** Debian starts the servers that it installs, unless this program says no. Source: invoke-rc.d(8). */
const SERVICE_POLICY = "/usr/sbin/policy-rc.d";

async function install(debianPackage: string): Promise<void> {
  console.log(`installing the Debian package ${debianPackage}`);
  const noCluster = `${CLUSTER_SETTINGS}/foyer-tests.conf`;
  if (debianPackage === "postgresql") {
    await Deno.mkdir(CLUSTER_SETTINGS, { recursive: true });
    await Deno.writeTextFile(noCluster, "create_main_cluster = false\n");
  }
  const hasPolicy = await exists(SERVICE_POLICY);
  if (!hasPolicy) await Deno.writeTextFile(SERVICE_POLICY, "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  try {
    await aptGet(["update", "-q"]);
    await aptGet(["install", "-q", "-y", "--no-install-recommends", debianPackage]);
  } finally {
    await Deno.remove(noCluster).catch(() => {});
    if (!hasPolicy) await Deno.remove(SERVICE_POLICY);
  }
}

async function aptGet(args: string[]): Promise<void> {
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  const { success, stdout, stderr } = await new Deno.Command(APT_GET, { args, env }).output();
  if (success) return;
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  throw new Error(`apt-get ${args.join(" ")} failed:\n${decode(stdout)}${decode(stderr)}`);
}

async function names(folder: string): Promise<string[]> {
  return await Array.fromAsync(Deno.readDir(folder), (entry) => entry.name).catch(() => []);
}

async function pathIfThere(path: string): Promise<string | null> {
  return await exists(path) ? path : null;
}

/** Whether there is a file or folder of that name. */
export async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
