import { registerUser, registerVerifiedUser } from "../support/app/accounts.ts";
import { assertEqualTimes, startMailWorker } from "../support/equal_times.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp();
app.useRealCosts();

const token = "wrong";
const verified = await registerVerifiedUser(app, "verified@example.com");
const unverified = await registerUser(app, "unverified@example.com");
const CASES = [
  { path: "/auth/forgot-password", knownEmail: verified.email, status: 200, fields: {} },
  { path: "/auth/resend-verification", knownEmail: unverified.email, status: 200, fields: {} },
  {
    path: "/auth/reset-password",
    knownEmail: verified.email,
    status: 400,
    fields: { token, password: "Another-horse-8" },
  },
  { path: "/auth/verify-email", knownEmail: unverified.email, status: 400, fields: { token } },
];

for (const { path, knownEmail, status, fields } of CASES) {
  Deno.test(`${path} takes the same time for known and unknown addresses`, async () => {
    await using _worker = startMailWorker(app);
    const send = (email: string) => app.client().send("POST", path, { email, ...fields });
    await assertEqualTimes(app, { knownEmail, status, send });
  });
}

for (const [path, { email: knownEmail }] of [["/reset-password", verified], ["/verify-email", unverified]] as const) {
  Deno.test(`the page ${path} takes the same time for known and unknown addresses`, async () => {
    const send = (email: string) => app.client().get(`${path}?${new URLSearchParams({ email, token })}`);
    await assertEqualTimes(app, { knownEmail, status: 200, send });
  });
}
