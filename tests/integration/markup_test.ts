import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { SCOPES } from "../../lib/schemas/scopes.ts";
import { USER_PAGE_SIZE } from "../../lib/users/user_directory.ts";
import { mailedToken, PASSWORD, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { readPage } from "../support/app/page_reader.ts";
import { withFailingDatabase } from "../support/database/failing_database.ts";
import { markupProblems } from "../support/browser/markup.ts";
import { quarters } from "../support/images/pictures.ts";
import { populate } from "../support/browser/population.ts";
import { ALL_PAGES, sitePages } from "../support/browser/site_pages.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

const app = await openSharedTestApp({
  ...ALL_PAGES,
  IDP_AUTH_URL: "https://id.example/authorize",
  IDP_TOKEN_URL: "https://id.example/token",
  IDP_USERINFO_URL: "https://id.example/userinfo",
  IDP_CLIENT_ID: "foyer",
  IDP_CLIENT_SECRET: "secret",
});
const guest = app.client("127.0.0.1");
let population: ReturnType<typeof populate> | undefined;
const populated = () => population ??= populate(app);

Deno.test("the check of markup finds faults", async () => {
  const page = (main: string) =>
    `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"/><title>Page</title></head><body>${main}</body></html>`;
  deepStrictEqual(await markupProblems(page("<p>Text</p>")), []);
  const faults = ['<p id="a"></p><p id="a"></p>', "<p><div>Text</div></p>", "<button>Go</button>", "<p>Text</div>"];
  const unknown = ["defaultChecked", "defaultchecked", "className", 'htmlFor="a"', "httpEquiv", "acceptCharset"]
    .map((attribute) => `<p ${attribute}>Text</p>`);
  for (
    const main of [...faults, ...unknown]
  ) {
    strictEqual((await markupProblems(page(main))).length > 0, true, main);
  }
});

Deno.test("empty lists have valid markup", async () => {
  await assertValid(await guest.get("/users"), 200);
  await assertValid(await guest.get("/dev/outbox"), 200);
});

Deno.test("every page has valid markup", async () => {
  const population = await populated();
  const { client } = await registerVerifiedUser(app, "valid@example.com", "Grace & <Hopper>");
  await app.deliverMails();
  const seen = new Set<string>();
  for (const { name, path, isMember, cookies, prepare, status = 200, failure } of sitePages(population)) {
    const visit = `${path} ${failure} ${JSON.stringify(cookies)}`;
    if (seen.has(visit)) continue;
    seen.add(visit);
    const visitor = cookies === undefined ? isMember ? client : guest : app.client();
    for (const [name, value] of Object.entries(cookies ?? {})) if (value !== "") visitor.cookies.set(name, value);
    const response = await withFailingDatabase(app, failure, () => visitor.get(path));
    await assertValid(response, prepare === undefined ? status : 200, name);
  }
});

Deno.test("pages with notices, photos, files and long lists have valid markup", async () => {
  const { client, id } = await registerUser(app, "full@example.com", "Full");
  await assertValid(await client.get("/dashboard"), 200, "not confirmed");
  const texts = { name: "Full", bio: "Two\nlines", location: "Here", website: "https://example.com/" };
  await client.submit("/profile", texts);
  await assertValid(await client.get("/profile"), 200, "a notice");
  const photo = new Blob([await quarters().png().toBuffer()], { type: "image/png" });
  strictEqual((await sendFile(client, "/profile", new File([photo], "me.png", { type: photo.type }))).status, 303);
  for (const path of ["/profile", "/dashboard", `/users/${id}`]) await assertValid(await client.get(path), 200);
  const stored = await sendFile(client, "/uploads", new File(["notes"], "notes & more.txt", { type: "text/plain" }));
  await assertValid(await client.get(stored.headers.get("Location")!), 200, "an uploaded file");

  for (let index = 0; index <= USER_PAGE_SIZE; index++) await registerUser(app, `list-${index}@example.com`);
  const first = await guest.get("/users");
  const next = (await readPage(first.clone())).find('[rel="next"]').getAttribute("href")!;
  await assertValid(first, 200, "the first page");
  await assertValid(await guest.get(next), 200, "the next page");
});

Deno.test("refused forms have valid markup", async () => {
  const { client, email } = await registerVerifiedUser(app, "refused@example.com");
  const wrong = {
    email: "<b>x",
    name: "",
    password: "x",
    token: "t",
    website: "nowhere",
    action: "verify",
    bio: "<i>",
  };
  for (const path of ["/login", "/register", "/forgot-password", "/reset-password", "/verify-email"]) {
    await assertValid(await app.client().submit(path, wrong), 400, path);
  }
  await assertValid(await app.client().submit("/reset-password?invitation=true", { ...wrong, email }), 400);
  await assertValid(await app.client().submit("/register", { name: "Taken", email, password: PASSWORD }), 409);
  await assertValid(await app.client().submit("/login", { email, password: "x" }), 401);
  await assertValid(await app.client().get("/login?error=cancelled"), 200, "a refused sign-in");
  await assertValid(await client.submit("/profile", wrong), 400);
  await assertValid(await client.submit("/profile", { bio: "x".repeat(70_000) }), 413);
  await assertValid(await sendFile(client, "/profile", new File(["text"], "me.png", { type: "image/png" })), 400);
  await assertValid(await sendFile(client, "/uploads", new File(["<p>"], "x.html", { type: "text/html" })), 400);
});

const CHECK_BOX = 'input[type="checkbox"]';

Deno.test("on every page with check boxes, a refused form comes back with the boxes ticked", async () => {
  const population = await populated();
  const { client } = await registerVerifiedUser(app, "ticks@example.com");
  await sendFile(client, "/uploads", new File(["notes"], "notes.txt", { type: "text/plain" }));
  const paths = new Set(sitePages(population).filter(({ isMember }) => isMember).map(({ path }) => path.split("?")[0]));
  const results: Record<string, [boxes: number, status: number]> = {};
  for (const path of paths) {
    const page = await readPage(client.get(path));
    const boxes = page.findAll("main form").map((form) => [...form.querySelectorAll(CHECK_BOX)])
      .find((boxes) => boxes.length > 0)?.map((box) => box.getAttribute("name")!);
    if (boxes === undefined) continue;
    const ticked = Object.fromEntries(boxes.map((name) => [name, "on"]));
    const response = await client.submit(path, { ...page.formWith(boxes).hidden, ...ticked });
    const again = await readPage(response.clone());
    results[path] = [boxes.length, response.status];
    if (response.status === 303) continue; // the form has no other fields
    await assertValid(response, 400, path);
    deepStrictEqual(again.findAll(`${CHECK_BOX}:not([checked])`).map(String), [], path);
  }
  deepStrictEqual(results, {
    "/settings/password": [1, 400],
    "/settings/tokens/new": [SCOPES.length - 1, 400], // only admins may choose the scope admin
    "/uploads": [1, 303],
  });
});

Deno.test("the pages of emailed links have valid markup", async () => {
  const { email } = await registerUser(app, "links@example.com");
  const query = new URLSearchParams({ email, token: await mailedToken(app, email) });
  await assertValid(await guest.get(`/verify-email?${query}`), 200);
  await assertValid(await guest.get(`/reset-password?${query}`), 200);
  await assertValid(await guest.get(`/reset-password?invitation=true&${query}`), 200);
});

Deno.test("error pages have valid markup", async () => {
  const page = { Accept: "text/html", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "cross-site" };
  await assertValid(await guest.get("/users?cursor=x"), 400);
  await assertValid(await guest.get("/auth/idp/callback", page), 400);
  await assertValid(await app.client().submit("/uploads", {}), 401);
  await assertValid(
    await guest.request("/login", { method: "POST", headers: { Origin: "https://evil.example" } }),
    403,
  );
  await assertValid(await guest.get(`/users/${crypto.randomUUID()}`), 404);
  await assertValid(await guest.get("/files/nothing"), 404);
  await assertValid(await guest.request("/login", { method: "PUT" }), 405);
  await assertValid(await guest.get("/dashboard", page), 200, "the hop to the same site");
});

/** Fails if the response is not a page with this status and valid markup. */
async function assertValid(response: Response, status = response.status, what = ""): Promise<void> {
  const html = await response.text();
  strictEqual(response.status, status, `${what}: ${html.slice(0, 200)}`);
  strictEqual(response.headers.get("Content-Type"), "text/html; charset=utf-8", what);
  deepStrictEqual(await markupProblems(html), [], `${what || html.match(/<title>[^<]*/)![0]} (${status})`);
}

function sendFile(client: TestClient, path: string, file: File): Promise<Response> {
  const body = new FormData();
  body.set("file", file);
  return client.request(path, { method: "POST", body, headers: { Origin: app.services.config.baseUrl } });
}
