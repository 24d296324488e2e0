/** Below the ports that Linux assigns to outgoing connections, and above those that browsers refuse. */
const FIRST_PORT = 20_000;
const BLOCK_SIZE = 64;
const BLOCKS = 199;

/**
 * Each test file has its own block of ports. It listens on the first of them until it ends, which keeps other test
 * files and other processes from using the block. So no one else takes a port between its choice and the start of its
 * server.
 */
const block = reserveBlock();
let offset = 0;

/**
 * Returns a free port of 127.0.0.1. It is not returned again until all others of the block have been.
 *
 * Listening on it at once can fail: a child process that is just starting holds a copy of this process's closed
 * listener for some milliseconds. A server in this process needs port 0 then, and must not close and reopen its port.
 */
export function freePort(): number {
  for (let tries = 1; tries < BLOCK_SIZE; tries++) {
    offset = offset % (BLOCK_SIZE - 1) + 1;
    const listener = listenIfFree(block.addr.port + offset);
    listener?.close();
    if (listener) return listener.addr.port;
  }
  throw new Error(`Cannot find a free port: all in the block of ${block.addr.port} are in use`);
}

function reserveBlock(): Deno.TcpListener {
  while (true) {
    const listener = listenIfFree(FIRST_PORT + BLOCK_SIZE * Math.floor(Math.random() * BLOCKS));
    if (listener) return listener;
  }
}

function listenIfFree(port: number): Deno.TcpListener | null {
  try {
    return Deno.listen({ hostname: "127.0.0.1", port });
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return null;
    throw error;
  }
}
