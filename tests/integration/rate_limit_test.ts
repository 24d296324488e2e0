import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { secondsAfter } from "../../lib/duration.ts";
import { countAttempt, countUse, findRateLimit } from "../../lib/limits/rate_limit.ts";
import { PASSWORD, registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { readPage } from "../support/app/page_reader.ts";
import { quarters } from "../support/images/pictures.ts";
import { openTestApp, type TestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";
import { freePort } from "../support/processes/free_port.ts";
import { bytesOf, sendBytes, type WireResponse } from "../support/random/wire.ts";
import { waitFor } from "../support/wait_for.ts";

const port = freePort();
const app = await openTestApp({
  LIMIT_LOGIN: "3/60",
  LIMIT_REGISTER: "2/3600",
  LIMIT_MAIL: "2/3600",
  LIMIT_PRESIGN: "2/3600",
  LIMIT_IMAGE: "2/3600",
  LIMIT_SEARCH: "2/60",
}, { port });
Deno.test.afterAll(() => app[Symbol.asyncDispose]());
const { db } = app.services;
const member = await registerVerifiedUser(app, "member@example.com");

function newcomer() {
  return { name: "Ada", email: `${crypto.randomUUID()}@example.com`, password: PASSWORD };
}

/** A client with the member's session and its own address. */
function memberAt(address?: string): TestClient {
  const client = app.client(address);
  for (const [name, value] of member.client.cookies) client.cookies.set(name, value);
  return client;
}

async function imageForm(fields: Record<string, string> = {}): Promise<FormData> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append(
    "file",
    new File([new Uint8Array(await quarters().png().toBuffer())], "photo.png", { type: "image/png" }),
  );
  return form;
}

const headersOf = ({ headers }: Response) => [headers.get("RateLimit-Policy"), headers.get("RateLimit")];

Deno.test("the RateLimit headers count down on successes, errors and refusals", async () => {
  const client = app.client();
  const policy = '"register";q=2;w=3600';
  const invalid = await client.send("POST", "/auth/register", {});
  deepStrictEqual([invalid.status, ...headersOf(invalid)], [400, policy, '"register";r=2;t=3600']);
  const first = await client.send("POST", "/auth/register", newcomer());
  deepStrictEqual([first.status, ...headersOf(first)], [201, policy, '"register";r=1;t=3600']);
  app.advance(100);
  const taken = await client.send("POST", "/auth/register", { ...newcomer(), email: member.email });
  deepStrictEqual([taken.status, ...headersOf(taken)], [409, policy, '"register";r=0;t=3500']);
  const malformed = await client.send("POST", "/auth/register", "text");
  deepStrictEqual([malformed.status, ...headersOf(malformed)], [400, policy, '"register";r=0;t=3500']);

  const refused = await client.send("POST", "/auth/register", newcomer());
  deepStrictEqual([refused.status, ...headersOf(refused)], [429, policy, '"register";r=0;t=3500']);
  strictEqual(refused.headers.get("Retry-After"), "3500");
  const { message, code } = await refused.json();
  deepStrictEqual([message, code], ["Too many requests. Try again in 59 minutes", "RATE_LIMITED"]);
  strictEqual((await app.client().send("POST", "/auth/register", newcomer())).status, 201);
  app.advance(3500);
  const later = await client.send("POST", "/auth/register", newcomer());
  deepStrictEqual([later.status, ...headersOf(later)], [201, policy, '"register";r=1;t=3600']);
});

Deno.test("a registration over the limit creates no user", async () => {
  const client = app.client();
  for (let i = 0; i < 2; i++) strictEqual((await client.send("POST", "/auth/register", newcomer())).status, 201);
  const person = newcomer();
  strictEqual((await client.send("POST", "/auth/register", person)).status, 429);
  const rows = await db.selectFrom("users").select("id").where("email", "=", person.email).execute();
  deepStrictEqual(rows, []);
});

Deno.test("no more concurrent requests than the limit are accepted", async () => {
  const client = app.client();
  const responses = await Promise.all(
    Array.from({ length: 10 }, () => client.send("POST", "/auth/register", newcomer())),
  );
  deepStrictEqual(responses.map(({ status }) => status).toSorted(), [201, 201, ...Array(8).fill(429)]);
});

Deno.test("the page and the API share the limit of registrations, and the page says when to try again", async () => {
  const client = app.client();
  strictEqual((await client.send("POST", "/auth/register", newcomer())).status, 201);
  const guest = app.client();
  const page = await guest.submit("/register", { ...newcomer(), password: "weak" });
  deepStrictEqual([page.status, page.headers.get("RateLimit")], [400, '"register";r=2;t=3600']);
  for (let i = 0; i < 2; i++) strictEqual((await guest.submit("/register", newcomer())).status, 303);
  const refused = await guest.submit("/register", newcomer());
  deepStrictEqual([refused.status, refused.headers.get("RateLimit")], [429, '"register";r=0;t=3600']);
  strictEqual((await readPage(refused)).message, "Too many attempts. Try again in 60 minutes.");
});

Deno.test("a double click counts once, and both responses carry the headers", async () => {
  const client = app.client();
  const form = { email: "nobody@example.com", form_id: crypto.randomUUID() };
  const clicks = [await client.submit("/forgot-password", form), await client.submit("/forgot-password", form)];
  deepStrictEqual(clicks.map(({ status }) => status), [303, 303]);
  deepStrictEqual(clicks.map((response) => response.headers.get("RateLimit")), Array(2).fill('"mail";r=1;t=3600'));
});

Deno.test("password requests, resends and their pages share one limit, whether or not the account exists", async () => {
  const unverified = await registerUser(app, "unverified@example.com");
  for (const email of [member.email, unverified.email, "nobody@example.com"]) {
    const client = app.client();
    const responses = [
      await client.send("POST", "/auth/forgot-password", { email }),
      await client.send("POST", "/auth/resend-verification", { email }),
      await client.send("POST", "/auth/forgot-password", { email }),
      await client.send("POST", "/auth/resend-verification", { email }),
      await client.submit("/forgot-password", { email }),
      await client.submit("/verify-email", { email, action: "resend" }),
    ];
    deepStrictEqual(responses.map(({ status }) => status), [200, 200, 429, 429, 429, 429], email);
    const left = [1, 0, 0, 0, 0, 0].map((remaining) => `"mail";r=${remaining};t=3600`);
    deepStrictEqual(responses.map((response) => response.headers.get("RateLimit")), left, email);
  }
});

Deno.test("with a session, emails also count for the account, from any address", async () => {
  app.advance(3600);
  const forgot = (client: TestClient) => client.send("POST", "/auth/forgot-password", { email: "nobody@example.com" });
  strictEqual((await forgot(memberAt("192.0.2.10"))).headers.get("RateLimit"), '"mail";r=1;t=3600');
  app.advance(60);
  strictEqual((await forgot(app.client("192.0.2.11"))).headers.get("RateLimit"), '"mail";r=1;t=3600');
  const second = await memberAt("192.0.2.11").send("POST", "/api/users", { name: "Guest", email: "guest@example.com" });
  deepStrictEqual([second.status, second.headers.get("RateLimit")], [201, '"mail";r=0;t=3600']);
  const refused = await memberAt("192.0.2.12").send("POST", "/api/users", { name: "Guest", email: "g2@example.com" });
  deepStrictEqual([refused.status, refused.headers.get("RateLimit")], [429, '"mail";r=0;t=3540']);
  strictEqual(refused.headers.get("Retry-After"), "3540");
  strictEqual((await forgot(app.client("192.0.2.12"))).status, 200);
});

Deno.test("presigned uploads and uploads of the page count per user", async () => {
  const file = { filename: "a.txt", contentType: "text/plain" };
  const anonymous = await app.client().send("POST", "/api/upload/presign", file);
  deepStrictEqual([anonymous.status, ...headersOf(anonymous)], [401, null, null]);
  const first = await memberAt().send("POST", "/api/upload/presign", file);
  deepStrictEqual([first.status, first.headers.get("RateLimit")], [200, '"presign";r=1;t=3600']);
  const upload = async () => await memberAt().request("/uploads", { method: "POST", body: await imageForm() });
  strictEqual((await upload()).status, 303);
  const page = await upload();
  strictEqual(page.status, 429);
  match(await page.text(), /Too many attempts\. Try again in 60 minutes/);
  strictEqual((await memberAt().send("POST", "/api/upload/presign", file)).status, 429);
  const other = await registerUser(app, "other@example.com");
  strictEqual((await other.client.send("POST", "/api/upload/presign", file)).status, 200);
});

Deno.test("images and photos count per user", async () => {
  const upload = async (path: string, fields: Record<string, string>) =>
    await memberAt().request(path, { method: "POST", body: await imageForm(fields) });
  const first = await upload("/api/upload/image", { type: "post" });
  deepStrictEqual([first.status, first.headers.get("RateLimit")], [200, '"image";r=1;t=3600']);
  strictEqual((await upload("/profile", {})).status, 303);
  const page = await upload("/profile", {});
  strictEqual(page.status, 429);
  match(await page.text(), /Too many attempts\. Try again in 60 minutes/);
  strictEqual((await upload("/api/upload/image", { type: "post" })).status, 429);
});

Deno.test("searches of guests count per address, those of members do not, and no list does", async () => {
  const guest = app.client("192.0.2.30");
  strictEqual((await guest.get(`/api/users?query=${"x".repeat(101)}`)).status, 400);
  const first = await guest.get("/api/users?query=ada");
  deepStrictEqual([first.status, ...headersOf(first)], [200, '"search";q=2;w=60', '"search";r=1;t=60']);
  const found = await guest.get("/users?query=ada");
  deepStrictEqual([found.status, found.headers.get("RateLimit")], [200, '"search";r=0;t=60']);
  for (const path of ["/api/users?query=ada", "/users?query=ada"]) {
    const refused = await guest.get(path);
    deepStrictEqual([refused.status, refused.headers.get("Retry-After")], [429, "60"], path);
  }
  for (
    const [client, path] of [
      [guest, "/api/users"],
      [guest, "/api/users?query=+"],
      [guest, "/users"],
      [memberAt("192.0.2.30"), "/api/users?query=ada"],
      [memberAt("192.0.2.30"), "/users?query=ada"],
    ] as const
  ) {
    const response = await client.get(path);
    deepStrictEqual([response.status, ...headersOf(response)], [200, null, null], path);
  }
  strictEqual((await app.client("192.0.2.31").get("/api/users?query=ada")).status, 200);
});

/** Sends the start of a form with a file, and breaks off. */
function breakOff({ cookies }: TestClient, path: string): Promise<WireResponse> {
  const body = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n' + "x".repeat(1000);
  const head = {
    Host: "localhost",
    Origin: app.services.config.baseUrl,
    Cookie: [...cookies].map((cookie) => cookie.join("=")).join("; "),
    "Content-Type": "multipart/form-data; boundary=x",
    "Content-Length": "10000",
  };
  const bytes = bytesOf({ method: "POST", target: path, headers: Object.entries(head), body: "" }) + body;
  return sendBytes(port, bytes, { hangUp: true });
}

for (const [path, policy] of [["/api/upload/image", "image"], ["/profile", "image"], ["/uploads", "presign"]]) {
  Deno.test(`a file at ${path} counts even if its sender breaks off`, async () => {
    const { client, id } = await registerVerifiedUser(app, `${crypto.randomUUID()}@example.com`);
    const requests = async () => {
      const rows = await db.selectFrom("rate_limits").select("requests").where("policy", "=", policy)
        .where("client", "=", `user:${id}`).execute();
      return rows[0]?.requests ?? 0;
    };
    for (const count of [1, 2, 3]) {
      await breakOff(client, path);
      await waitFor("the count", async () => await requests() === count);
    }
    const whole = await client.request(path, { method: "POST", body: await imageForm({ type: "post" }) });
    strictEqual(whole.status, 429);
    strictEqual(await requests(), 3, "refused before the file was read");
  });
}

Deno.test("LIMIT_LOGIN overrides both older variables, and the message states the window", async () => {
  await using other = await openTestApp({
    LIMIT_LOGIN: "1/60",
    LOGIN_MAX_ATTEMPTS: "9",
    LOGIN_WINDOW_SECONDS: "600",
  });
  deepStrictEqual(await refusalOfLogin(other, 1), ['"login";q=1;w=60', "1 minute"]);
  await using older = await openTestApp({ LOGIN_MAX_ATTEMPTS: "2", LOGIN_WINDOW_SECONDS: "601" });
  deepStrictEqual(await refusalOfLogin(older, 2), ['"login";q=2;w=601', "11 minutes"]);
});

async function refusalOfLogin(other: TestApp, attempts: number) {
  const client = other.client();
  const logIn = () => client.send("POST", "/auth/login", { email: "a@example.com", password: "x" });
  for (let i = 0; i < attempts; i++) strictEqual((await logIn()).status, 401);
  const refused = await logIn();
  strictEqual(refused.status, 429);
  const { message } = await refused.json();
  return [
    refused.headers.get("RateLimit-Policy"),
    /Too many login attempts\. Please try again in (.*)$/.exec(message)?.[1],
  ];
}

Deno.test("an attempt that succeeds after its window has ended takes back none of the next one", async () => {
  const use = { policy: "login", clients: ["slow"] } as const;
  const slow = await countAttempt(app.services, use);
  app.advance(61);
  const failed = await countAttempt(app.services, use);
  failed.hasFailed = true;
  await slow[Symbol.asyncDispose]();
  strictEqual((await findRateLimit(app.services, use))!.remaining, 2);
});

Deno.test("an attempt is taken back in a window that an instance with a faster clock began", async () => {
  const use = { policy: "login", clients: ["behind"] } as const;
  const ahead = { ...app.services, now: () => secondsAfter(app.services.now(), 1) };
  await countUse(ahead, use);
  const attempt = await countAttempt(app.services, use);
  await attempt[Symbol.asyncDispose]();
  strictEqual((await findRateLimit(app.services, use))!.remaining, 2);
});

Deno.test("a policy that is off neither counts nor sets headers", async () => {
  await using free = await openTestApp({ LIMIT_LOGIN: "off", LIMIT_REGISTER: "off" });
  const client = free.client();
  for (let i = 0; i < 6; i++) {
    const response = await client.send("POST", "/auth/login", { email: "a@example.com", password: "x" });
    deepStrictEqual([response.status, ...headersOf(response)], [401, null, null]);
  }
  strictEqual((await client.send("POST", "/auth/register", newcomer())).headers.get("RateLimit"), null);
  deepStrictEqual(await free.services.db.selectFrom("rate_limits").selectAll().execute(), []);
});
