import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { DAY_SECONDS } from "../../lib/duration.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { connect, REDIRECT_URI } from "../support/app/authorization.ts";
import { writeClientsFile } from "../support/app/clients_file.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import {
  assertPrivateHeaders,
  assertReaders,
  type FileReader,
  openPrivateFile,
  PRIVATE_TEXT,
  readersOf,
} from "../support/uploads/private_file_cases.ts";
import { later, sweepAllUploads, uploaderOf } from "../support/uploads/upload_world.ts";

const CLIENTS_FILE = await writeClientsFile([{
  client_id: "reader",
  client_name: "Reader",
  redirect_uris: [REDIRECT_URI],
  scope: "openid uploads:read uploads:write",
}]);
const app = await openSharedTestApp({ CLIENTS_FILE });
const { services } = app;

const CROSS_SITE = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document" };

function pathOf({ publicUrl }: { publicUrl: string }): string {
  return new URL(publicUrl).pathname;
}

Deno.test("only the owner and those with a link can read a private file, however they ask", async () => {
  const file = await openPrivateFile(app);
  await assertReaders(app, file, await readersOf(app, file));
});

Deno.test("apps of the owner can read private files with uploads:read", async () => {
  const owner = await registerVerifiedUser(app, "connected@example.com");
  const stranger = await registerVerifiedUser(app, "strange@example.com");
  const file = await openPrivateFile(app, uploaderOf(app, owner));
  const readers: Record<string, FileReader> = {};
  for (
    const [who, { client }, scopes, gets] of [
      ["the owner's app", owner, ["openid", "uploads:read"], "the file"],
      ["the owner's app without the scope", owner, ["openid", "uploads:write"], "scope missing"],
      ["someone else's app", stranger, ["openid", "uploads:read"], "not found"],
    ] as const
  ) {
    const { access_token: token } = await connect(app, client, "reader", { scopes: [...scopes] });
    readers[who] = { client: app.client(), headers: { Authorization: `Bearer ${token}` }, gets };
  }
  await assertReaders(app, file, readers);
});

Deno.test("a private file is private however its address is spelled", async () => {
  const { key, owner, link } = await openPrivateFile(app);
  const rest = key.slice("private/".length);
  const spellings = [
    `PRIVATE/${rest}`,
    `Private/${rest}`,
    `%70rivate/${rest}`,
    `%2570rivate/${rest}`,
    `private%2f${rest}`,
    `private%5c${rest}`,
    `private//${rest}`,
    `/private/${rest}`,
    `./private/${rest}`,
    `uploads/../private/${rest}`,
    `uploads/%2e%2e/private/${rest}`,
    `uploads%2f..%2fprivate/${rest}`,
    `private/${rest}/`,
    `private/${rest}%00`,
    `private/%00${rest}`,
    `private/${rest.replace("/", "/./")}`,
    `private/${"x".repeat(5000)}`,
    "private/",
    "private",
    "private/..",
    "private/%f0%9f%98%80",
  ];
  for (const spelling of spellings) {
    for (const search of ["", await link()]) {
      // Browsers resolve dots and backslashes themselves, and the router ignores an empty segment.
      const { pathname } = new URL(`/files/${spelling}`, "http://a");
      const isSame = decodeURI(pathname).replaceAll("//", "/") === `/files/${key}`;
      const response = await app.client().get(`/files/${spelling}${search}`);
      strictEqual(response.status, isSame && search !== "" ? 200 : 404, spelling + search);
      match(response.headers.get("Cache-Control")!, /no-store/, spelling);
      const body = await response.text();
      strictEqual(body.includes(PRIVATE_TEXT), response.status === 200, spelling);
      const own = await owner.client.get(`/files/${spelling}`);
      strictEqual(own.status, isSame ? 200 : 404, spelling);
    }
  }
});

Deno.test("browsers save what could be harmful to show, and everything with a link for that", async () => {
  const { owner } = await openPrivateFile(app);
  const sandbox = "default-src 'none'; sandbox";
  const player = "default-src 'none'; media-src 'self'; sandbox allow-same-origin";
  const cases = [
    ["text/plain", "été (1).txt", "%C3%A9t%C3%A9%20%281%29.txt", sandbox, false],
    ["application/pdf", "a.pdf", "a.pdf", sandbox, true],
    ["video/mp4", "a.mp4", "a.mp4", player, true],
  ] as const;
  for (const [contentType, filename, name, policy, isShown] of cases) {
    const file = await openPrivateFile(app, owner, { filename, contentType });
    const saved = `attachment; filename*=UTF-8''${name}`;
    const shown = isShown ? null : saved;
    for (
      const [search, disposition] of [
        ["", shown],
        [await file.link(), shown],
        [await file.link({ download: true }), saved],
      ] as const
    ) {
      const { headers, status } = await owner.client.get(pathOf(file) + search);
      const names = ["Content-Type", "Content-Security-Policy", "Content-Disposition", "X-Content-Type-Options"];
      const got = [status, ...names.map((name) => headers.get(name))];
      deepStrictEqual(got, [200, contentType, policy, disposition, "nosniff"], contentType + search);
    }
  }
});

Deno.test("opened from another site, the address hops once, and then shows the file to its owner alone", async () => {
  const file = await openPrivateFile(app);
  for (const [who, status] of [[file.owner.client, 200], [app.client(), 404]] as const) {
    // The browser leaves the session out of the first request.
    const session = who.cookies.get("auth_session");
    who.cookies.delete("auth_session");
    const first = await who.get(pathOf(file), CROSS_SITE);
    assertPrivateHeaders(first, "hop");
    deepStrictEqual([first.status, first.headers.get("Refresh")], [200, "0"]);
    if (session !== undefined) who.cookies.set("auth_session", session);
    const second = await who.get(pathOf(file), { ...CROSS_SITE, "Sec-Fetch-Site": "same-origin" });
    assertPrivateHeaders(second, "after the hop");
    strictEqual(second.status, status);
    strictEqual(who.cookies.has("same_site_hop"), false);
  }
});

Deno.test("an image, a script, a frame and a fetch of another site do not hop, nor does a link", async () => {
  const file = await openPrivateFile(app);
  for (
    const [destination, mode] of [["image", "no-cors"], ["script", "no-cors"], ["iframe", "navigate"], [
      "empty",
      "cors",
    ]]
  ) {
    const headers = { ...CROSS_SITE, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": destination };
    strictEqual((await app.client().get(pathOf(file), headers)).status, 404, destination);
  }
  const response = await app.client().get(pathOf(file) + await file.link(), CROSS_SITE);
  deepStrictEqual([response.status, await response.text()], [200, PRIVATE_TEXT]);
});

Deno.test("a private file can be read while it is stored, and not before or after", async () => {
  const { owner } = await openPrivateFile(app);
  const presigned = await owner.presign({ visibility: "private" });
  const states = async () => {
    const statuses = [];
    for (const visitor of [owner.client, app.client()]) statuses.push((await visitor.get(pathOf(presigned))).status);
    return statuses;
  };
  deepStrictEqual(await states(), [404, 404], "nothing has arrived");
  strictEqual(await owner.put(presigned), 200);
  deepStrictEqual(await states(), [200, 404], "not confirmed");
  strictEqual((await owner.confirm(presigned.id)).status, 200);
  deepStrictEqual(await states(), [200, 404]);
  strictEqual((await owner.client.submit("/uploads", { action: "delete", [presigned.id]: "on" })).status, 303);
  deepStrictEqual(await states(), [404, 404], "discarded");
  strictEqual((await owner.client.submit("/uploads", { action: "restore" })).status, 303);
  deepStrictEqual(await states(), [200, 404], "restored");
  strictEqual((await owner.delete(presigned.id)).status, 204);
  deepStrictEqual(await states(), [404, 404], "deleted");
  await sweepAllUploads(later(services, 2 * DAY_SECONDS));
  deepStrictEqual(await states(), [404, 404], "swept");
});

Deno.test("a link that is revoked during a download ends with it", async () => {
  const file = await openPrivateFile(app);
  const address = pathOf(file) + await file.link();
  const part = await app.client().get(address, { Range: "bytes=0-1" });
  deepStrictEqual([part.status, await part.text()], [206, "he"]);
  await services.db.updateTable("uploads").set({ link_number: 1 }).where("id", "=", file.id).execute();
  const next = await app.client().get(address, { "Range": "bytes=2-", "If-Range": part.headers.get("ETag")! });
  strictEqual(next.status, 404);
  const known = await app.client().get(address, { "If-None-Match": part.headers.get("ETag")! });
  strictEqual(known.status, 404);
});

Deno.test("a private file that the disk has lost is not found", async () => {
  const file = await openPrivateFile(app);
  await services.objects.delete(file.key);
  const response = await file.owner.client.get(pathOf(file));
  assertPrivateHeaders(response, "lost");
  strictEqual(response.status, 404);
});

Deno.test("a public file needs no look-up of a session", async () => {
  const { owner } = await openPrivateFile(app);
  const open = await owner.store();
  const response = await owner.client.get(pathOf(open));
  deepStrictEqual([response.status, response.headers.get("Cache-Control")], [200, "public, max-age=31536000"]);
  strictEqual(response.headers.get("Referrer-Policy"), "strict-origin-when-cross-origin");
  strictEqual(response.headers.get("Cross-Origin-Resource-Policy"), null);
});
