import { pathOf } from "../../../lib/api/collect.ts";
import type { Entry } from "../../../lib/api/entry.ts";
import type { Limit } from "../../../lib/limits/policy.ts";
import type { Who } from "../../../lib/web/pages/page_handlers.ts";

/** A method of a route, and what its handler obeys. */
export interface RouteHandler {
  /** As entries name it, such as `GET /api/users/{id}`. */
  key: string;
  /** Its file, such as `routes/api/users/[id].ts`. */
  file: string;
  /** Undefined for a handler that obeys no entry. */
  entry?: Entry;
  /** Who may use the page. Undefined for an endpoint. */
  who?: Who;
  /** The limit that the entry or the page declares. */
  limit?: Limit;
}

const ROOT = new URL("../../../", import.meta.url);

/** Imports the route files in a folder, and returns what they handle. */
export async function handlersUnder(folder: string): Promise<RouteHandler[]> {
  const entries = await Array.fromAsync(Deno.readDir(new URL(folder, ROOT)));
  const found = await Promise.all(
    entries.filter(({ name }) => !name.startsWith("_")).map(async ({ name, isDirectory }) => {
      const path = `${folder}/${name}`;
      if (isDirectory) return await handlersUnder(path);
      const { handler = {} } = await import(new URL(path, ROOT).href);
      return (await methodsOf(handler)).map((method) => {
        const { entry, who, limit }: Partial<RouteHandler> = handler[method];
        return {
          key: `${method} ${pathOf(path.replace(/^routes\//, ""))}`,
          file: path,
          entry,
          who,
          limit: entry?.limit ?? limit,
        };
      });
    }),
  );
  return found.flat();
}

/** A request of an admin, where everything is switched on. */
const CONTEXT = {
  req: new Request("http://foyer.test/", { method: "OPTIONS", headers: { Authorization: "Bearer token" } }),
  state: {
    services: {
      config: { uploads: "on", signInCodes: true, tokenAudiences: ["https://wiki.example.com"], registrations: {} },
    },
    sessionLookup: {},
    token: { user: { role: "admin" } },
  },
};

/** Handlers respond to every method. OPTIONS lists those that are not refused. */
async function methodsOf(
  handler: { OPTIONS?(ctx: typeof CONTEXT): Response | Promise<Response> },
): Promise<string[]> {
  const response = await handler.OPTIONS?.(CONTEXT);
  const methods = response?.headers.get("Allow")?.split(", ") ?? Object.keys(handler);
  return methods.filter((method) => !["HEAD", "OPTIONS"].includes(method));
}
