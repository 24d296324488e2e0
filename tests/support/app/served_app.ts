import type { Handler } from "../../../lib/server/outer_handler.ts";
import { freePort } from "../processes/free_port.ts";
import { openTestApp, type TestApp } from "./test_app.ts";

/** The test app on a port of 127.0.0.1, which is also its public origin. */
export interface ServedApp {
  app: TestApp;
  url: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Serves the test app.
 *
 * @param env returns the environment variables for the URL of the app.
 * @param around wraps the request handler.
 */
export async function serveTestApp(
  env: (url: string) => Record<string, string> | Promise<Record<string, string>>,
  around?: (handler: Handler) => Handler,
): Promise<ServedApp> {
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const app = await openTestApp({ BASE_URL: url, ...await env(url) }, { port, around });
  return { app, url, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}
