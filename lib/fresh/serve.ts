import type { ListenOptions } from "./types.ts";

/** Handles one request. */
export type AppHandler = (request: Request, info?: Deno.ServeHandlerInfo) => Promise<Response>;

const FIRST_PORT = 8000;
const LAST_PORT = 8019;

/** Serves a handler on the given port, or on the first free one. */
export async function serve(handler: AppHandler, basePath: string, options: ListenOptions): Promise<void> {
  const onListen = ({ hostname, port }: Deno.NetAddr) => {
    const host = hostname.includes(":") ? `[${hostname}]` : hostname;
    console.log(`Listening on ${options.key && options.cert ? "https" : "http"}://${host}:${port}${basePath}/`);
  };
  for (let port = options.port || FIRST_PORT;; port++) {
    try {
      await Deno.serve({ onListen, ...options, port }, handler);
      return;
    } catch (error) {
      const isTaken = error instanceof Deno.errors.AddrInUse;
      if (options.port || !isTaken || port === LAST_PORT) throw error;
    }
  }
}
