/** Returns the folder of the newest installed PostgreSQL server, or null. */
export async function postgresBinaries(): Promise<string | null> {
  const versions = (await names("/usr/lib/postgresql")).map(Number).filter(Number.isFinite).sort((a, b) => b - a);
  for (const version of versions) {
    const folder = `/usr/lib/postgresql/${version}/bin`;
    if (await exists(`${folder}/initdb`) && await exists(`${folder}/postgres`)) return folder;
  }
  return null;
}

/**
 * Chromium without the code for windows: pages take half of the processor time. This is the program itself, because a
 * kill of the script in /usr/bin would leave it running.
 */
const HEADLESS_SHELL = "/usr/lib/chromium/chromium-headless-shell";
const FULL_CHROMIUM = "/usr/bin/chromium";

/**
 * Returns the path of Chromium, or null. CHROMIUM_PATH overrides the default. Full Chromium counts only where the
 * faster one cannot be installed.
 *
 * @throws {Error} when CHROMIUM_PATH is not an existing file.
 */
export async function chromiumPath(): Promise<string | null> {
  const chosen = Deno.env.get("CHROMIUM_PATH");
  if (chosen && !await exists(chosen)) throw new Error(`CHROMIUM_PATH does not exist: ${chosen}`);
  if (chosen) return chosen;
  if (await exists(HEADLESS_SHELL)) return HEADLESS_SHELL;
  return await mayInstall() ? null : await fullChromium();
}

/** Returns the path of full Chromium, or null. From then on, this process and its tests use it. */
async function fullChromium(): Promise<string | null> {
  if (!await exists(FULL_CHROMIUM)) return null;
  Deno.env.set("CHROMIUM_PATH", FULL_CHROMIUM);
  return FULL_CHROMIUM;
}

/** The system's Python: only this one finds the Debian packages for Python. */
export const PYTHON = "/usr/bin/python3";

/** The system's Ruby, for the same reason. */
export const RUBY = "/usr/bin/ruby";

/** Where Debian installs the packages for Go. */
export const GO_PACKAGES = "/usr/share/gocode";

/** Finds a Python that has a module. */
const pythonWith = (module: string) => interpreterWith(PYTHON, ["-c", `import ${module}`]);

/** Finds a Ruby that has a library. */
const rubyWith = (library: string) => interpreterWith(RUBY, ["-e", `require ${JSON.stringify(library)}`]);

/** Finds an interpreter that runs a probe without an error. */
const interpreterWith = (path: string, args: string[]) => async (): Promise<string | null> => {
  if (!await exists(path)) return null;
  const probe = new Deno.Command(path, { args, stderr: "null" });
  return (await probe.output()).success ? path : null;
};

/** Finds a program by its path. */
const program = (path: string) => async () => await exists(path) ? path : null;

/** Software that tests require, with its Debian package. */
export interface Prerequisite {
  name: string;
  debianPackage: string;
  /** Returns its path, or null if it is not installed. */
  find(): Promise<string | null>;
  /** Returns the path of something else that will do if the package cannot be installed, or null. */
  findSubstitute?(): Promise<string | null>;
}

export const CHROMIUM: Prerequisite = {
  name: "Chromium",
  debianPackage: "chromium-headless-shell",
  find: chromiumPath,
  findSubstitute: fullChromium,
};
/** The fonts in tests/support/browser/fonts.conf. */
export const FONTS: Prerequisite = {
  name: "DejaVu",
  debianPackage: "fonts-dejavu-core",
  find: program("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"),
};
export const POSTGRES: Prerequisite = { name: "PostgreSQL", debianPackage: "postgresql", find: postgresBinaries };
export const NGINX: Prerequisite = { name: "nginx", debianPackage: "nginx", find: program("/usr/sbin/nginx") };
export const CADDY: Prerequisite = { name: "Caddy", debianPackage: "caddy", find: program("/usr/bin/caddy") };
export const PGBOUNCER: Prerequisite = {
  name: "PgBouncer",
  debianPackage: "pgbouncer",
  find: program("/usr/sbin/pgbouncer"),
};
export const ZSH: Prerequisite = { name: "zsh", debianPackage: "zsh", find: program("/usr/bin/zsh") };
export const BUILDAH: Prerequisite = { name: "Buildah", debianPackage: "buildah", find: program("/usr/bin/buildah") };
export const OPENSSL: Prerequisite = { name: "OpenSSL", debianPackage: "openssl", find: program("/usr/bin/openssl") };
export const SWIFT: Prerequisite = {
  name: "OpenStack Swift",
  debianPackage: "python3-swift",
  find: pythonWith("swift.proxy.server"),
};
export const MAIL_SERVER: Prerequisite = {
  name: "aiosmtpd",
  debianPackage: "python3-aiosmtpd",
  find: pythonWith("aiosmtpd.smtp"),
};
export const AUTH_OPENIDC: Prerequisite = {
  name: "mod_auth_openidc",
  debianPackage: "libapache2-mod-auth-openidc",
  find: program("/usr/lib/apache2/modules/mod_auth_openidc.so"),
};
export const AUTHLIB: Prerequisite = { name: "Authlib", debianPackage: "python3-authlib", find: pythonWith("authlib") };
export const REQUESTS: Prerequisite = {
  name: "Requests",
  debianPackage: "python3-requests",
  find: pythonWith("requests"),
};
export const REQUESTS_OAUTHLIB: Prerequisite = {
  name: "requests-oauthlib",
  debianPackage: "python3-requests-oauthlib",
  find: pythonWith("requests_oauthlib"),
};
export const OMNIAUTH: Prerequisite = {
  name: "OmniAuth for OpenID Connect",
  debianPackage: "ruby-omniauth-openid-connect",
  find: rubyWith("omniauth_openid_connect"),
};
export const WEBRICK: Prerequisite = { name: "WEBrick", debianPackage: "ruby-webrick", find: rubyWith("webrick") };
export const DOVECOT: Prerequisite = {
  name: "Dovecot",
  debianPackage: "dovecot-imapd",
  find: program("/usr/lib/dovecot/imap"),
};
export const GO: Prerequisite = { name: "Go", debianPackage: "golang-go", find: program("/usr/bin/go") };
export const GO_OIDC: Prerequisite = {
  name: "go-oidc",
  debianPackage: "golang-github-coreos-go-oidc-dev",
  find: program(`${GO_PACKAGES}/src/github.com/coreos/go-oidc/oidc.go`),
};
export const OIDC_AGENT: Prerequisite = {
  name: "oidc-agent",
  debianPackage: "oidc-agent-cli",
  find: program("/usr/bin/oidc-agent"),
};
export const SYSTEMD: Prerequisite = {
  name: "systemd",
  debianPackage: "systemd",
  find: program("/usr/bin/systemd-analyze"),
};
export const YAML: Prerequisite = { name: "PyYAML", debianPackage: "python3-yaml", find: pythonWith("yaml") };
export const JQ: Prerequisite = { name: "jq", debianPackage: "jq", find: program("/usr/bin/jq") };
export const SQLITE: Prerequisite = { name: "SQLite", debianPackage: "sqlite3", find: program("/usr/bin/sqlite3") };
export const WRK: Prerequisite = { name: "wrk", debianPackage: "wrk", find: program("/usr/bin/wrk") };

/** Whether {@linkcode ensure} may install packages: only as root, and only with apt-get. */
export async function mayInstall(): Promise<boolean> {
  return Deno.uid() === 0 && await exists(APT_GET);
}

/** Returns the prerequisites that are not installed. */
export async function findMissing(prerequisites: Iterable<Prerequisite>): Promise<Prerequisite[]> {
  const checked = await Promise.all(
    [...prerequisites].map(async (each) => ({ each, path: await each.find().catch(() => null) })),
  );
  return checked.filter(({ path }) => path === null).map(({ each }) => each);
}

/**
 * Returns the path of a prerequisite. Installs it first if it is missing and {@linkcode mayInstall} allows that.
 *
 * @throws {Error} that says what is missing and how to install it.
 */
export async function ensure({ name, debianPackage, find, findSubstitute }: Prerequisite): Promise<string> {
  const present = await find();
  if (present !== null) return present;
  const advice = `${name} is not installed. On Debian or Ubuntu, run: apt-get install ${debianPackage}` +
    (name === "Chromium" ? " (or set CHROMIUM_PATH to the path of Chromium)" : "");
  if (!await mayInstall()) throw new Error(advice);
  try {
    await install(debianPackage);
  } catch (error) {
    const substitute = await findSubstitute?.();
    if (substitute) return substitute;
    throw new Error(`${advice}\nInstalling it failed: ${error instanceof Error ? error.message : error}`);
  }
  const found = await find();
  if (found === null) throw new Error(`The package ${debianPackage} was installed, but ${name} was not found`);
  return found;
}

const APT_GET = "/usr/bin/apt-get";
/** A file in this folder keeps Debian's PostgreSQL package from creating and starting a cluster. */
const CLUSTER_SETTINGS = "/etc/postgresql-common/createcluster.d";

/** When this program exits with 101, Debian does not start the servers that it installs. Source: invoke-rc.d(8). */
const SERVICE_POLICY = "/usr/sbin/policy-rc.d";

async function install(debianPackage: string): Promise<void> {
  console.log(`Installing the system package ${debianPackage} with apt-get, because it is missing`);
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

/** Whether a file or folder exists. */
export async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
