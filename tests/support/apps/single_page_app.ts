import type { UserManager } from "oidc-client-ts";
import type { Page } from "../browser/browser.ts";
import type { RunningProgram } from "./programs.ts";

const LIBRARY = new URL("../browser/oidc-client-ts.min.js", import.meta.resolve("oidc-client-ts"));
const PAGE = `<!DOCTYPE html><title>App</title><link rel="icon" href="data:,"><script src="/library.js"></script>`;

/** Serves an empty page with oidc-client-ts at every path. */
export function serveSinglePageApp(port: number): RunningProgram {
  const server = Deno.serve({ hostname: "127.0.0.1", port, onListen() {} }, async (req) => {
    const isLibrary = new URL(req.url).pathname === "/library.js";
    const type = isLibrary ? "text/javascript" : "text/html";
    return new Response(isLibrary ? await Deno.readTextFile(LIBRARY) : PAGE, { headers: { "Content-Type": type } });
  });
  return { [Symbol.asyncDispose]: () => server.shutdown() };
}

/**
 * Runs a function in the page, with the manager of a single-page app.
 *
 * @param settings of the manager.
 */
export async function withManager<T>(
  page: Page,
  settings: Record<string, unknown>,
  run: (manager: UserManager) => Promise<T>,
): Promise<T> {
  return await page.evaluate(`(${run})(new oidc.UserManager(${JSON.stringify(settings)}))`) as T;
}
