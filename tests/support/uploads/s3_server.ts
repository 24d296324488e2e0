import { ensure, PYTHON, SWIFT } from "../prerequisites.ts";

/** A real object store that verifies signatures: OpenStack Swift with its S3 interface, from Debian packages. */
export interface S3Server extends AsyncDisposable {
  /** The environment variables that make the app use the bucket `uploads`. */
  env: Record<string, string>;
  /** The same for a bucket in which everyone can read everything. */
  openEnv: Record<string, string>;
  /** Freezes the server: connections are accepted, but requests get no response. */
  pause(): void;
  resume(): void;
  /** Stops the server for good. */
  stop(): Promise<void>;
}

/** The bucket in which no one can read anything without a signature. */
export const PRIVATE_BUCKET = "private";

/**
 * Starts a server. Everyone can read what is below uploads/ and images/ in its bucket `uploads`, at S3_PUBLIC_URL. It
 * ends with this process.
 */
export async function startS3Server(): Promise<S3Server> {
  await ensure(SWIFT);
  const folder = await Deno.makeTempDir({ prefix: "foyer-s3-" });
  const script = new URL("s3_node.py", import.meta.url).pathname;
  const child = new Deno.Command(PYTHON, {
    args: [script, folder, "eu-test-1"],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const log = new Response(child.stderr).text();
  let stopping: Promise<void> | undefined;
  const stop = () => stopping ??= end(child, folder).then(() => void log);
  const line = await firstLine(child.stdout);
  if (line === null) {
    await stop();
    throw new Error(`Cannot start the S3 server: ${await log}`);
  }
  const env: Record<string, string> = JSON.parse(line);
  return {
    env,
    openEnv: { ...env, S3_BUCKET: "open", S3_PUBLIC_URL: env.S3_PUBLIC_URL.replace(/uploads$/, "open") },
    pause: () => child.kill("SIGSTOP"),
    resume: () => child.kill("SIGCONT"),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function end(child: Deno.ChildProcess, folder: string): Promise<void> {
  await child.stdin.close().catch(() => {});
  try {
    child.kill("SIGKILL"); // also ends a frozen process
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // it has ended already
  }
  await child.status;
  await Deno.remove(folder, { recursive: true });
}

async function firstLine(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string | null> {
  let text = "";
  for await (const part of stream.pipeThrough(new TextDecoderStream())) {
    text += part;
    if (text.includes("\n")) return text;
  }
  return null;
}
