import { dirname } from "node:path";
import { packagesFolder } from "../../../lib/server/app_arguments.ts";
import { BUILDAH, ensure } from "../prerequisites.ts";
import { waitFor } from "../wait_for.ts";

/** How an image says that it is run. */
export interface ImageConfig {
  User: string;
  WorkingDir: string;
  Env: string[];
  Cmd: string[];
  Volumes: Record<string, unknown>;
  /** Starts with `CMD`. */
  Healthcheck: { Test: string[] };
}

/** An image that was built from the Dockerfile. It is deleted when it is disposed of. */
export interface Image extends AsyncDisposable {
  config: ImageConfig;
  /** Its files. */
  root: string;
  /** Of what it adds to its base. */
  sizeBytes: number;
}

/** A process in a container: its root cannot be written to, and it reaches nothing but itself. */
export interface Container extends AsyncDisposable {
  output(): string;
  /** Runs a command in it, as its user. */
  exec(command: string[]): Promise<{ code: number; output: string }>;
  /** Runs a module of the tests that can reach only the container. Returns what it prints. */
  runBeside(source: string): Promise<string>;
  /** Ends it as a service manager does. Returns the exit code. */
  stop(): Promise<number>;
}

/** The base of the image: Deno, the libraries that it and sharp load, and the file by which sharp recognizes glibc. */
const BASE = "FROM scratch\nCOPY / /\nENV PATH=/usr/bin DENO_DIR=/deno-dir\n";
const LDD = "/usr/bin/ldd";

/**
 * Builds the Dockerfile without network, in a folder. The packages are those that Deno has downloaded for the tests.
 */
export async function buildImage(folder: string): Promise<Image> {
  const buildah = await buildahIn(folder);
  await writeBase(`${folder}/base`);
  await buildah("bud", "--tag=base", `${folder}/base`);
  const packages = `${packagesFolder()}/..:/deno-dir/npm:ro`;
  await buildah("bud", "--tag=foyer", "--build-arg=DENO_IMAGE=localhost/base", `--volume=${packages}`, ".");
  const { Docker } = JSON.parse(await buildah("inspect", "--type=image", "foyer"));
  const root = await buildah("mount", await buildah("from", "foyer"));
  return {
    config: Docker.config,
    root,
    sizeBytes: parseInt(await run("du", ["--summarize", "--block-size=1", `${root}${Docker.config.WorkingDir}`])),
    async [Symbol.asyncDispose]() {
      await buildah("rm", "--all");
      // Buildah leaves the folder of its layers mounted on itself.
      await run("umount", [`${folder}/images/overlay`]).catch(() => {});
    },
  };
}

/** Returns a function that runs Buildah, with its images in a folder. */
async function buildahIn(folder: string) {
  const program = await ensure(BUILDAH);
  const storage = [`--root=${folder}/images`, `--runroot=${folder}/run`];
  return async (command: string, ...args: string[]): Promise<string> => {
    const options = command === "bud" ? ["--format=docker", "--isolation=chroot"] : [];
    // A build in this isolation would otherwise use the network of the machine.
    return (await run("unshare", ["--net", program, ...storage, command, ...options, ...args])).trim();
  };
}

async function writeBase(folder: string): Promise<void> {
  await Deno.mkdir(`${folder}/usr/bin`, { recursive: true });
  await Deno.copyFile(Deno.execPath(), `${folder}/usr/bin/deno`);
  for (const path of [LDD, ...await librariesOf(Deno.execPath()), ...await librariesOf(await sharpLibrary())]) {
    await Deno.mkdir(folder + dirname(path), { recursive: true });
    await Deno.copyFile(path, folder + path);
  }
  for (const path of ["proc", "tmp"]) await Deno.mkdir(`${folder}/${path}`);
  await Deno.writeTextFile(`${folder}/Dockerfile`, BASE);
}

/** Returns the paths of the libraries that a program or a library loads from the system. */
async function librariesOf(path: string): Promise<string[]> {
  const lines = (await run(LDD, [path])).split("\n");
  return lines.flatMap((line) => /\s(\/(?:usr\/)?lib\S+) \(0x/.exec(line)?.[1] ?? []);
}

async function sharpLibrary(): Promise<string> {
  const architecture = Deno.build.arch === "x86_64" ? "x64" : "arm64";
  const folder = `${packagesFolder()}/@img/sharp-linux-${architecture}`;
  const found = await run("find", [folder, "-name", "*.node"]);
  return found.split("\n")[0];
}

/** Starts a container as the image says, with more variables, and a volume for its data. Waits until it listens. */
export async function startContainer(
  { config, root }: Image,
  { volume, env }: { volume: string; env: string[] },
): Promise<Container> {
  const [user, group] = config.User.split(":");
  await run("chown", [config.User, volume]);
  const settings = [...config.Env, ...env];
  const inside = ["unshare", `--root=${root}`, `--wd=${config.WorkingDir}`, `--setgid=${group}`, `--setuid=${user}`];
  const capabilities = "--bounding-set=-all,+setuid,+setgid,+sys_chroot";
  const child = new Deno.Command("unshare", {
    args: ["--net", "--mount", "bash", "-euc", MOUNT, root, volume, "setpriv", "--pdeathsig=TERM", "--no-new-privs"]
      .concat(capabilities, "env", "-i", ...settings, "/usr/bin/env", ...inside, ...config.Cmd),
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const printed: string[] = [];
  const reading = Promise.all([child.stdout, child.stderr].map(async (stream) => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) printed.push(text);
  }));
  const ended = Promise.all([child.status, reading]).then(([{ code }]) => code);
  await Promise.race([waitFor("the container", () => printed.join("").includes('"listening"')), ended]);
  const enter = (...spaces: string[]) => [`--target=${child.pid}`, ...spaces];
  async function stop() {
    try {
      child.kill("SIGTERM");
    } catch { /* It has ended. */ }
    return await ended;
  }
  return {
    output: () => printed.join(""),
    async exec(command) {
      const args = enter("--net", "--mount", "--root", "--wd", `--setgid=${group}`, `--setuid=${user}`);
      const variables = Object.fromEntries(settings.map((each) => each.split("=")));
      const options = { args: [...args, ...command], clearEnv: true, env: variables };
      const { code, stdout, stderr } = await new Deno.Command("/usr/bin/nsenter", options).output();
      return { code, output: [stdout, stderr].map((each) => new TextDecoder().decode(each)).join("") };
    },
    runBeside: (source) => run("nsenter", enter("--net", Deno.execPath(), "eval", "--quiet", source)),
    stop,
    [Symbol.asyncDispose]: async () => void await stop(),
  };
}

/** Prepares the container in namespaces of its own, then runs the rest of the arguments. */
const MOUNT = `
ip link set lo up
root=$0
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/tmp"
mount --bind "$1" "$root/data"
shift
exec "$@"
`;

async function run(command: string, args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args, stdin: "null" }).output();
  const decoder = new TextDecoder();
  if (!success) {
    throw new Error(`${command} ${args.join(" ")} failed: ${decoder.decode(stdout)}${decoder.decode(stderr)}`);
  }
  return decoder.decode(stdout);
}
