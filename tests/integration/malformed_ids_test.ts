import { ok, strictEqual } from "node:assert/strict";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0" });
const { client } = await registerVerifiedUser(app, "ids@example.com");
const headers = { Origin: app.services.config.baseUrl };

const UNKNOWN = "01900000-0000-7000-8000-000000000000";
/** Values that are no ids. Some cannot be decoded, and PostgreSQL stores none that has a NUL. */
const MALFORMED = [
  "%00",
  `${UNKNOWN}%00`,
  "a%00b",
  "%ED%A0%80", // half of a surrogate pair
  "%ED%B0%80x",
  "%FF",
  "%C0%80",
  "%EF%BF%BE",
  "%F0%9F%98%80",
  "%",
  "%zz",
  "%E0%A4%A",
  "%25",
  "%2F..%2F..",
  "%27%3B--",
  "%0d%0a",
  "-1",
  "NaN",
  "__proto__",
  "constructor",
  `${UNKNOWN}0`,
  UNKNOWN.slice(1),
  "x".repeat(7_000),
  "%00".repeat(2_000),
];

const routes = await routesWithParameter("routes");

async function routesWithParameter(folder: string, path = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) {
      found.push(...await routesWithParameter(`${folder}/${name}`, name.startsWith("(") ? path : `${path}/${name}`));
      continue;
    }
    const route = `${path}/${name}`.replace(/(\/index)?\.tsx?$/, "");
    if (route.includes("[") && !name.startsWith("_")) found.push(route);
  }
  return found.sort();
}

/** Sends a request with all that routes may want, so that it gets as far as the id. */
function send(method: string, path: string): Promise<Response> {
  const fields = { name: "Renamed" };
  if (method === "GET" || method === "DELETE") return client.request(path, { method, headers });
  if (path.startsWith("/settings")) return client.submit(path, fields);
  const body = path.endsWith("/confirm") ? "{}" : JSON.stringify(fields);
  return client.request(path, { method, headers: { ...headers, "Content-Type": "application/json" }, body });
}

for (const route of routes) {
  Deno.test(`${route} answers 404 for what is no id, and 400 for what cannot be decoded`, async () => {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
      const request = (value: string) => send(method, route.replace(/\[(\.\.\.)?\w+\]/, value));
      const unknown = await request(UNKNOWN);
      await unknown.body?.cancel();
      for (const value of MALFORMED) {
        const response = await request(value);
        const text = await response.text();
        ok(response.status < 500, `${method} ${value}: ${text.slice(0, 300)}`);
        // An upload without a signature is refused, whatever its path.
        const found = unknown.status === 405 || route.startsWith("/files/") ? unknown.status : 404;
        const expected = isDecodable(value) ? found : 400;
        strictEqual(response.status, expected, `${method} ${value}: ${text.slice(0, 300)}`);
      }
    }
  });
}

/** Whether a server can decode the path. It refuses all others. */
function isDecodable(value: string): boolean {
  try {
    return decodeURIComponent(value) !== "";
  } catch {
    return false;
  }
}

Deno.test("the routes with an id are found", () => {
  for (const route of ["/api/users/[id]", "/files/[...key]", "/auth/idp/[key]/callback"]) ok(routes.includes(route));
});
