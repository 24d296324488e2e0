import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { POLICIES, type Policy } from "../../lib/config/limits.ts";
import { PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { openTestApp, type TestApp } from "../support/app/test_app.ts";
import type { TestClient } from "../support/app/test_client.ts";

const EMAIL = "member@example.com";
const WRONG = "Wrong-horse-77";
const newcomer = () => ({ name: "Ada", email: `${crypto.randomUUID()}@example.com`, password: PASSWORD });

/** Sends a request that counts under the policy; as a member, or as a guest from one address. */
type Send = (clients: { member: TestClient; guest: TestClient; app: TestApp }) => Promise<Response>;

const REQUESTS: Partial<Record<Policy, Send[]>> = {
  login: [({ guest }) => guest.send("POST", "/auth/login", { email: EMAIL, password: WRONG })],
  register: [
    ({ guest }) => guest.send("POST", "/auth/register", newcomer()),
    ({ guest }) => guest.submit("/register", newcomer()),
  ],
  mail: [
    ({ guest }) => guest.send("POST", "/auth/forgot-password", { email: EMAIL }),
    ({ guest }) => guest.submit("/forgot-password", { email: EMAIL }),
  ],
  presign: [
    ({ member }) =>
      member.send("POST", "/api/upload/presign", { filename: "a.txt", contentType: "text/plain", size: 5 }),
  ],
  link: [({ member }) => member.send("POST", `/api/uploads/${crypto.randomUUID()}/link`, {})],
  profile: [({ member }) => member.send("PUT", "/api/profile", { bio: "x" })],
  export: [({ member }) => member.get("/api/account/export")],
  search: [({ guest }) => guest.get("/api/users?query=ada")],
  // The limits of an account and of wrong proofs refuse on routes that have another one.
  account: [
    ({ app }) => app.client().send("POST", "/auth/login", { email: EMAIL, password: WRONG }),
    ({ app }) => app.client().submit("/login", { email: EMAIL, password: WRONG }),
    ({ app }) => app.client().send("POST", "/auth/login", { email: "nobody@example.com", password: WRONG }),
  ],
  proof: [
    ({ member }) =>
      member.send("PUT", "/api/account/password", { currentPassword: WRONG, newPassword: PASSWORD + "1" }),
    ({ member }) => member.submit("/settings/password", { currentPassword: WRONG, password: PASSWORD + "1" }),
  ],
};
/** What tests of their own subjects check: they need a token, an app, a second factor, an image or a passkey. */
const ELSEWHERE: Policy[] = [
  "attempt",
  "image",
  "security",
  "write",
  "guess",
  "code",
  "token",
  "authorize",
  "client",
  "mail_address",
  "device",
  "client_document",
  "device_start",
];

for (const [policy, requests] of Object.entries(REQUESTS)) {
  Deno.test(`a response that the limit ${policy} refuses carries its headers`, async () => {
    for (const [index, send] of requests.entries()) {
      await using app = await openTestApp({ [`LIMIT_${policy.toUpperCase()}`]: "1/60" });
      const { client: member } = await registerVerifiedUser(app, EMAIL);
      app.advance(60);
      const clients = { member, guest: app.client("192.0.2.77"), app };
      let response = await send(clients);
      for (let i = 0; i < 2 && response.status !== 429; i++) response = await send(clients);
      strictEqual(response.status, 429, `${policy} ${index}`);
      deepStrictEqual(
        ["RateLimit-Policy", "RateLimit"].map((name) => response.headers.get(name)),
        [`"${policy}";q=1;w=60`, `"${policy}";r=0;t=60`],
        `${policy} ${index}`,
      );
    }
  });
}

Deno.test("every limit is walked here or in the tests of its subject", () => {
  deepStrictEqual([...Object.keys(REQUESTS), ...ELSEWHERE].sort(), [...POLICIES].sort());
});
