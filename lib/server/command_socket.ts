import { join } from "node:path";
import { type CommandCall, type Outcome, runCommand } from "../command_line/run.ts";
import { errorFields } from "../log/log.ts";
import type { Services } from "../services/services.ts";

/** The socket in DATA_DIR through which commands reach the service: only one process can open the embedded database. */
function socketIn(dataDir: string): string {
  return join(dataDir, "foyer.sock");
}

/**
 * Listens for commands and runs them, until the result is disposed of. Does nothing with PostgreSQL, where commands
 * work beside the service. A socket that a killed process has left is replaced.
 */
export async function listenForCommands(services: Services): Promise<AsyncDisposable | undefined> {
  const { config: { databaseUrl, dataDir }, log } = services;
  if (databaseUrl !== undefined) return undefined;
  let listener: Deno.UnixListener;
  try {
    listener = await listenPrivately(dataDir);
  } catch (error) {
    // The path may be longer than a socket's may be. The service works without it.
    log("warn", "commands for operators must wait until the service is stopped", errorFields(error));
    return undefined;
  }
  const running = new Set<Promise<Outcome>>();
  const run = (call: CommandCall) => {
    const outcome = runHere(services, call).finally(() => running.delete(outcome));
    running.add(outcome);
    return outcome;
  };
  void acceptAll(listener, (connection) =>
    answer(connection, run)
      .catch((error) => log("warn", "a command got no answer", errorFields(error))));
  return {
    async [Symbol.asyncDispose]() {
      listener.close();
      await Deno.remove(socketIn(dataDir)).catch(() => {});
      await Promise.all(running);
    },
  };
}

async function acceptAll(listener: Deno.UnixListener, accept: (connection: Deno.Conn) => Promise<void>) {
  for await (const connection of listener) void accept(connection);
}

/**
 * Lets the service run a command.
 *
 * @returns null if no service listens.
 */
export async function askService(dataDir: string, call: CommandCall): Promise<Outcome | null> {
  const connection = await connect(dataDir);
  if (connection === null) return null;
  try {
    await send(connection, call);
    await connection.closeWrite();
    return await receive(connection) as Outcome;
  } catch {
    return { failure: "The service ended before it answered. The command may have had its effect" };
  } finally {
    connection.close();
  }
}

/** Whether a service listens for commands. */
export async function isServiceListening(dataDir: string): Promise<boolean> {
  const connection = await connect(dataDir);
  connection?.close();
  return connection !== null;
}

/** A socket that nobody listens on is one that a killed service has left. */
async function connect(dataDir: string): Promise<Deno.UnixConn | null> {
  try {
    return await Deno.connect({ transport: "unix", path: socketIn(dataDir) });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.ConnectionRefused) return null;
    throw error;
  }
}

/** Listens where no one else can connect, until the socket has its permissions. */
async function listenPrivately(dataDir: string): Promise<Deno.UnixListener> {
  const folder = await Deno.makeTempDir({ dir: dataDir, prefix: ".commands-" });
  try {
    const path = join(folder, "s");
    const listener = Deno.listen({ transport: "unix", path });
    await Deno.chmod(path, 0o600);
    await Deno.rename(path, socketIn(dataDir));
    return listener;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function answer(connection: Deno.Conn, run: (call: CommandCall) => Promise<Outcome>): Promise<void> {
  try {
    await send(connection, await run(await receive(connection) as CommandCall));
  } finally {
    connection.close();
  }
}

/** Loads the commands at the first one: most services never run any. */
async function runHere(services: Services, call: CommandCall): Promise<Outcome> {
  const { COMMANDS, INTERNAL_COMMANDS } = await import("../command_line/commands.ts");
  return await runCommand(services, call, {
    commands: [...COMMANDS, ...INTERNAL_COMMANDS],
    onUnexpected: (error) => services.log("error", "command failed", { command: call.name, ...errorFields(error) }),
  });
}

async function send(connection: Deno.Conn, value: unknown): Promise<void> {
  let bytes = new TextEncoder().encode(JSON.stringify(value));
  while (bytes.length > 0) bytes = bytes.subarray(await connection.write(bytes));
}

async function receive(connection: Deno.Conn): Promise<unknown> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(65_536);
  let text = "";
  for (let length; (length = await connection.read(buffer)) !== null;) {
    text += decoder.decode(buffer.subarray(0, length), { stream: true });
  }
  return JSON.parse(text);
}
