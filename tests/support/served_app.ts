import type { Handler } from "../../lib/server/outer_handler.ts";
import { freePort } from "./free_port.ts";
import { openTestApp, type TestApp } from "./test_app.ts";

/** The test app behind a port of 127.0.0.1, which is its public origin too. */
export interface ServedApp {
  app: TestApp;
  url: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Serves the app; `env` is what its environment says, made for its address, `around` stands before its handler. */
export async function serveTestApp(
  env: (url: string) => Record<string, string> | Promise<Record<string, string>>,
  around = (handler: Handler): Handler => handler,
): Promise<ServedApp> {
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const app = await openTestApp({ BASE_URL: url, ...await env(url) });
  const server = Deno.serve({ hostname: "127.0.0.1", port, onListen() {} }, around(app.handler));
  return {
    app,
    url,
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      await app[Symbol.asyncDispose]();
    },
  };
}
