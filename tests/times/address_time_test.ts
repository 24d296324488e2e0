import { PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { assertEqualTimes, startMailWorker } from "../support/equal_times.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp({ SIGN_IN_CODES: "true", LOGIN_MAX_ATTEMPTS: "0" });
app.useRealCosts();

const { email: knownEmail } = await registerVerifiedUser(app, "verified@example.com");
const requestCode = (email: string) => app.client().send("POST", "/auth/code", { email });

Deno.test("/auth/code takes the same time for known and unknown addresses", async () => {
  await using _worker = startMailWorker(app);
  await assertEqualTimes(app, { knownEmail, status: 200, send: requestCode });
});

Deno.test("a wrong code takes the same time for an address with a code and for unknown addresses", async () => {
  await using _worker = startMailWorker(app);
  await assertEqualTimes(app, {
    knownEmail,
    status: 401,
    prepare: async () => void await requestCode(knownEmail),
    send: (email) => app.client().send("POST", "/auth/code/verify", { email, code: "12345678" }),
  });
});

Deno.test("/api/account/email takes the same time for known and unknown addresses", async () => {
  const { client } = await registerVerifiedUser(app, "requester@example.com");
  // Start the worker only now: it would compete with the line above for the email that confirms the address.
  await using _worker = startMailWorker(app);
  await assertEqualTimes(app, {
    knownEmail,
    status: 200,
    prepare: async () => void await client.send("POST", "/auth/reauthenticate", { password: PASSWORD }),
    send: (email) => client.send("POST", "/api/account/email", { email }),
  });
});
