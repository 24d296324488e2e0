import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { logIn, PASSWORD, registerVerifiedUser } from "../support/app/accounts.ts";
import { enableTotp, startLogin } from "../support/app/second_factor.ts";
import { openSharedTestApp, openTestApp, type TestApp } from "../support/app/test_app.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0", LIMIT_PROOF: "off" });
const WRONG = "Wrong-horse-77";
const WRONG_CODE = "not a code of the app";
const REAUTHENTICATE = "/auth/reauthenticate";

/** The newest events of a user, newest first. */
function eventsOf({ services: { db } }: TestApp, userId: string) {
  return db.selectFrom("events")
    .select(["kind", "details", "actor_id", "client_address", "session_public_id as session"])
    .where("user_id", "=", userId).orderBy("id", "desc").execute();
}

/** The log lines of requests to a path. */
function linesOf({ logLines }: TestApp, path: string) {
  return logLines.map((line) => JSON.parse(line)).filter((line) => line.path === path);
}

Deno.test("a wrong proof in a session is an event of the account, and a right one is not", async () => {
  const { client, id } = await registerVerifiedUser(app, "proofs@example.com");
  const [{ client_address }] = await eventsOf(app, id);
  const { public_id: session } = await app.services.db.selectFrom("sessions").select("public_id")
    .where("user_id", "=", id).executeTakeFirstOrThrow();
  const change = { currentPassword: WRONG, newPassword: "Another-horse-8" };
  await client.request("/api/totp", { method: "POST" });
  const cases: [reason: string, send: () => Promise<Response>][] = [
    ["password", () => client.send("POST", REAUTHENTICATE, { password: WRONG })],
    ["code", () => client.send("POST", REAUTHENTICATE, { code: "00000000" })],
    ["password", () => client.send("PUT", "/api/account/password", change)],
    ["totp_setup", () => client.send("POST", "/api/totp/confirm", { code: "00000000" })],
  ];
  for (const [reason, send] of cases) {
    const before = (await eventsOf(app, id)).length;
    const response = await send();
    deepStrictEqual([response.status, (await response.json()).code], [403, "PROOF_WRONG"], reason);
    const [event, ...others] = await eventsOf(app, id);
    const facts = { kind: "proof.failed", details: { reason }, actor_id: null, client_address, session };
    deepStrictEqual(event, facts);
    strictEqual(others.length, before);
  }
  const before = (await eventsOf(app, id)).length;
  strictEqual((await client.send("POST", REAUTHENTICATE, { password: PASSWORD })).status, 200);
  strictEqual((await eventsOf(app, id)).length, before);
  const page = await (await client.get("/settings/activity")).text();
  match(page, /Wrong password entered in a session/);
  match(page, /Wrong code entered while setting up an authenticator app/);
});

Deno.test("the limit of proofs bounds the events of wrong ones", async () => {
  await using limited = await openTestApp({ LIMIT_PROOF: "3/900" });
  const { client, id } = await registerVerifiedUser(limited, "bounded@example.com");
  const statuses: number[] = [];
  for (let tries = 0; tries < 6; tries++) {
    statuses.push((await client.send("POST", REAUTHENTICATE, { password: WRONG })).status);
  }
  deepStrictEqual(statuses, [403, 403, 403, 429, 429, 429]);
  strictEqual((await eventsOf(limited, id)).filter(({ kind }) => kind === "proof.failed").length, 3);
});

Deno.test("the log warns of a refusal at a way in and names the client, and no other line does", async () => {
  await using limited = await openTestApp({ LOGIN_MAX_ATTEMPTS: "3" });
  const { client, email } = await registerVerifiedUser(limited, "logged@example.com");
  await enableTotp(limited, client);
  const guest = await startLogin(limited, email, limited.client("192.0.2.7"));
  await guest.send("POST", "/auth/second-factor", { code: WRONG_CODE });
  await guest.submit("/second-factor", { code: WRONG_CODE });
  await logIn(guest, email, WRONG);
  await guest.submit("/login", { email, password: WRONG });
  await logIn(guest, email, WRONG);
  await guest.get("/api/profile");
  await limited.client("192.0.2.7").request("/auth/reauthenticate", { method: "POST" });

  const linesAt = (path: string) =>
    linesOf(limited, path).filter(({ level }) => level === "warn")
      .map(({ status, clientAddress }) => [status, clientAddress]);
  deepStrictEqual(linesAt("/auth/second-factor"), [[403, "192.0.2.7"]]);
  deepStrictEqual(linesAt("/second-factor"), [[403, "192.0.2.7"]]);
  deepStrictEqual(linesAt("/login"), [[401, "192.0.2.7"]]);
  // The first is the login that needs a second step.
  deepStrictEqual(linesAt("/auth/login").map(([status]) => status), [403, 401, 429]);
  deepStrictEqual(linesAt("/auth/reauthenticate"), [[401, "192.0.2.7"]]);
  const requests = limited.logLines.map((line) => JSON.parse(line)).filter(({ message }) => message === "request");
  deepStrictEqual(
    requests.filter(({ level, clientAddress }) => (level === "warn") !== (clientAddress !== undefined)),
    [],
  );
  deepStrictEqual(linesOf(limited, "/api/profile").map(({ status, level }) => [status, level]), [[401, "info"]]);
});
