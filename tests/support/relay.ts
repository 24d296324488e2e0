/** A relay between a client and a server, as an address that moves from one server to another. */
export interface Relay extends Disposable {
  port: number;
  /** Leads new connections to another port of this machine. Those that are open stay where they are. */
  moveTo(port: number): void;
}

/** Starts a relay to a port of this machine. */
export function startRelay(to: number): Relay {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let target = to;
  const serve = async (client: Deno.TcpConn) => {
    using _client = client;
    using server = await Deno.connect({ hostname: "127.0.0.1", port: target });
    await Promise.race([
      client.readable.pipeTo(server.writable),
      server.readable.pipeTo(client.writable),
    ]);
  };
  void (async () => {
    for await (const client of listener) void serve(client).catch(() => {}); // one side has ended
  })();
  return {
    port: listener.addr.port,
    moveTo(port) {
      target = port;
    },
    [Symbol.dispose]: () => listener.close(),
  };
}
