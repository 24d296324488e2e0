/** Starts `deno task foyer`, as an operator does: with the permissions of the service, and no others. */
export function spawnFoyer(args: string[], env: Record<string, string>): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "foyer", ...args],
    env: { APP_ENV: "development", LOG_LEVEL: "error", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    signal: AbortSignal.timeout(60_000),
  }).spawn();
}

/** Runs `deno task foyer`. */
export async function foyer(args: string[], env: Record<string, string>) {
  const { code, stdout, stderr } = await spawnFoyer(args, env).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Returns the processes that a command consists of. The last one does the work. */
export async function processesOf({ pid }: Deno.ChildProcess): Promise<number[]> {
  const pids = [pid];
  for (const each of pids) {
    const children = await Deno.readTextFile(`/proc/${each}/task/${each}/children`).catch(() => "");
    pids.push(...children.split(" ").filter(Boolean).map(Number));
  }
  return pids;
}
