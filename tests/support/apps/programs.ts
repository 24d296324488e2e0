import { ensure, findMissing, mayInstall, type Prerequisite } from "../prerequisites.ts";
import { waitFor } from "../wait_for.ts";

/** A program that runs until it is disposed of. */
export interface RunningProgram {
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts a program that listens on a port of 127.0.0.1, and waits until it does. It ends with this process. */
export async function startProgram(
  { path, args, port, ...options }: {
    path: string;
    args: string[];
    port: number;
    cwd?: string;
    env?: Record<string, string>;
  },
): Promise<RunningProgram> {
  const child = new Deno.Command("setpriv", {
    args: ["--pdeathsig=KILL", path, ...args],
    ...options,
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  let hasEnded = false;
  void child.status.then(() => hasEnded = true);
  await waitFor(path, async () => {
    if (hasEnded) throw new Error(`${path} has ended`);
    const connection = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => null);
    connection?.close();
    return connection !== null;
  });
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
    },
  };
}

/** Installs packages. Returns false if that is impossible here: then a test of them is skipped. */
export async function canInstall(prerequisites: Prerequisite[]): Promise<boolean> {
  for (const each of await findMissing(prerequisites)) {
    const isThere = await mayInstall() && await ensure(each).then(() => true, () => false);
    if (!isThere) return false;
  }
  return true;
}
