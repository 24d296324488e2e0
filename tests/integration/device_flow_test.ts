import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { decodeJwt } from "jose";
import * as openid from "openid-client";
import { prepareSigningKeys } from "../../lib/access/signing_keys.ts";
import { sweepExpiredRows } from "../../lib/jobs/expired_rows.ts";
import { DEVICE_GRANT } from "../../lib/config/registered_client.ts";
import { COMMAND_LINE } from "../../lib/activity/events.ts";
import { suspendUser } from "../../lib/admin/suspension.ts";
import { prepareGroups } from "../../lib/groups/group.ts";
import { setGroups } from "../../lib/groups/membership.ts";
import { HOUR_SECONDS, MINUTE_SECONDS, SECOND_MS, unixSeconds } from "../../lib/duration.ts";
import {
  logIn,
  mailedCode,
  PASSWORD,
  registerUser,
  registerVerifiedUser,
  subjectsTo,
} from "../support/app/accounts.ts";
import {
  client,
  errorOf,
  NOTES,
  openAuthorizationApp,
  postForm,
  refresh,
  tokensIn,
} from "../support/app/authorization.ts";
import { writeClientsFile } from "../support/app/clients_file.ts";
import { allowDevice, answerDevice, COMMAND_LINE_APP, poll, startDevice } from "../support/app/devices.ts";
import { html } from "../support/app/page_forms.ts";
import { Page } from "../support/app/page_reader.ts";
import { enableTotp, joinGroup } from "../support/app/second_factor.ts";
import { BASE_URL, openSharedTestApp, openTestApp, openTestInstance, type TestApp } from "../support/app/test_app.ts";

const device = { grant_types: [DEVICE_GRANT, "refresh_token"], redirect_uris: [] };
const app = await openAuthorizationApp({ LOGIN_MAX_ATTEMPTS: "0" }, [
  COMMAND_LINE_APP,
  client("reader", { ...device, scope: "openid notes:read", resources: [NOTES] }),
  client("staff-cli", { ...device, groups: ["staff"] }),
  client("vault", { ...device, require_second_factor: true, groups: ["keepers"] }),
]);
const clientsFile = await writeClientsFile([COMMAND_LINE_APP]);
const { services } = app;
const { db } = services;

let people = 0;
/** A person who has just logged in. */
function newPerson() {
  return registerVerifiedUser(app, `device-${people++}@example.com`);
}

async function wrongCodeText(response: Response): Promise<string> {
  strictEqual(response.status, 400);
  return new Page(await response.text()).field("userCode").error ?? "";
}

Deno.test("a device shows a code, its person allows it, and the next poll gets the tokens", async () => {
  const { client: person, id } = await newPerson();
  const started = await startDevice(app, "cli", { scope: "openid profile profile:read unknown" });
  match(started.device_code, /^[\w-]{43}$/);
  match(started.user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  deepStrictEqual(
    { ...started, device_code: "", user_code: "" },
    { device_code: "", user_code: "", verification_uri: `${BASE_URL}/device`, expires_in: 600, interval: 5 },
  );
  deepStrictEqual(await errorOf(poll(app, started.device_code)), [400, "authorization_pending"]);
  await allowDevice(person, started.user_code);
  const tokens = await tokensIn(poll(app, started.device_code));
  strictEqual(tokens.scope, "openid profile profile:read");
  const { sub, sid } = decodeJwt(tokens.id_token!);
  const [{ public_id }] = await db.selectFrom("sessions").select("public_id").where("user_id", "=", id).execute();
  deepStrictEqual([sub, sid], [id, public_id]);
  strictEqual((await person.send("POST", "/auth/logout", {})).status, 200);
  const refreshed = await tokensIn(refresh(app, "cli", tokens.refresh_token!));
  const profile = await app.client().get("/api/profile", { Authorization: `Bearer ${refreshed.access_token}` });
  strictEqual(profile.status, 200, "the grant outlives the session");
  deepStrictEqual(await errorOf(poll(app, started.device_code)), [400, "invalid_grant"], "the code works once");
  strictEqual((await refresh(app, "cli", refreshed.refresh_token!)).status, 200, "a second poll ends nothing");
});

Deno.test("openid-client logs in by the device grant", async () => {
  const { client: person, id } = await newPerson();
  const config = await openid.discovery(new URL(BASE_URL), "cli", { [openid.clockSkew]: skew() }, openid.None(), {
    execute: [openid.allowInsecureRequests],
    [openid.customFetch]: (url, init) => app.client().request(new URL(url).pathname, init as RequestInit),
  });
  const started = await openid.initiateDeviceAuthorization(config, { scope: "openid email" });
  await allowDevice(person, started.user_code);
  const tokens = await openid.pollDeviceAuthorizationGrant(config, { ...started, interval: 0.01 });
  strictEqual(tokens.claims()?.sub, id);
});

/** Sends requests from one client address. */
function fromOneAddress(opened: Pick<TestApp, "client">): Pick<TestApp, "client"> {
  return { client: () => opened.client("192.0.2.7") };
}

/** The clock of the app stands still. */
function skew(): number {
  return unixSeconds(services.now()) - Math.floor(Date.now() / 1000);
}

Deno.test("the page says who asks, from where, and what for; typing is forgiving", async () => {
  const { client: person } = await newPerson();
  const { user_code } = await startDevice(fromOneAddress(app), "reader", {
    scope: "openid notes:read",
    resource: NOTES,
  });
  app.advance(2 * MINUTE_SECONDS);
  const typed = ` ${user_code.toLowerCase().replace("-", " – ")} `;
  const page = new Page(await (await answerDevice(person, typed)).text());
  match(page.title, /^Connect The reader\?/);
  match(page.text, /Asked from \S*Unknown app\S*, \S*192\.0\.2\.7\S*, 2 minutes ago\./);
  match(page.text, /If someone sent you this code, choose Cancel\./);
  match(page.text, /Notes\S*: \S*See your notes/);
  match(page.text, /also when you’re not using it/);
});

Deno.test("Cancel spends the code", async () => {
  const { client: person } = await newPerson();
  const { user_code, device_code } = await startDevice(app);
  const response = await answerDevice(person, user_code, "cancel");
  strictEqual(response.headers.get("Location"), "/device?answered=denied");
  match(await html(person, "/device?answered=denied"), /Return to your device/);
  deepStrictEqual(await errorOf(poll(app, device_code)), [400, "access_denied"]);
  match(await wrongCodeText(await answerDevice(person, user_code, "allow")), /wrong, has expired or was already used/);
  strictEqual((await (await person.get("/api/account")).json()).data.apps, 0);
});

Deno.test("unknown, expired, used, denied and claimed codes look the same", async () => {
  const [{ client: first }, { client: person }] = [await newPerson(), await newPerson()];
  const [used, denied, claimed, expired] = await Promise.all([1, 2, 3, 4].map(() => startDevice(app)));
  await allowDevice(first, used.user_code);
  await answerDevice(first, denied.user_code, "cancel");
  strictEqual((await answerDevice(first, claimed.user_code)).status, 200);
  const texts = new Set<string>();
  for (const code of ["BBBB-BBBB", "", "1", used.user_code, denied.user_code, claimed.user_code]) {
    texts.add(await wrongCodeText(await answerDevice(person, code)));
  }
  app.advance(10 * MINUTE_SECONDS);
  await first.send("POST", "/auth/reauthenticate", { password: PASSWORD });
  texts.add(await wrongCodeText(await answerDevice(person, expired.user_code)));
  texts.add(await wrongCodeText(await answerDevice(first, claimed.user_code, "allow")));
  strictEqual(texts.size, 1, [...texts].join("\n"));
  deepStrictEqual(await errorOf(poll(app, expired.device_code)), [400, "expired_token"]);
  app.advance(HOUR_SECONDS);
  await sweepExpiredRows(services);
  deepStrictEqual(await errorOf(poll(app, expired.device_code)), [400, "invalid_grant"]);
  strictEqual((await db.selectFrom("device_codes").select("id").execute()).length, 0);
});

Deno.test("a code that was claimed and left stays with its person until it expires", async () => {
  const [{ client: first }, { client: other }] = [await newPerson(), await newPerson()];
  const { user_code, device_code } = await startDevice(app);
  strictEqual((await answerDevice(first, user_code)).status, 200);
  await first.send("POST", "/auth/logout", {});
  await wrongCodeText(await answerDevice(other, user_code, "allow"));
  deepStrictEqual(await errorOf(poll(app, device_code)), [400, "authorization_pending"]);
  app.advance(10 * MINUTE_SECONDS);
  deepStrictEqual(await errorOf(poll(app, device_code)), [400, "expired_token"]);
});

Deno.test("of two people at once, one claims a code", async () => {
  const both = [await newPerson(), await newPerson()];
  for (let round = 0; round < 5; round++) {
    const { user_code } = await startDevice(app);
    const answers = await Promise.all(both.map(({ client }) => answerDevice(client, user_code)));
    deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 400]);
  }
});

Deno.test("of Allow and Cancel at once, one counts", async () => {
  const { client: person } = await newPerson();
  const { user_code, device_code } = await startDevice(app);
  const answers = await Promise.all([
    answerDevice(person, user_code, "allow"),
    answerDevice(person, user_code, "cancel"),
    answerDevice(person, user_code, "allow"),
  ]);
  deepStrictEqual(answers.map(({ status }) => status).sort(), [303, 400, 400]);
  const isAllowed = answers.some((answer) => answer.headers.get("Location") === "/device?answered=allowed");
  strictEqual((await poll(app, device_code)).status === 200, isAllowed);
});

Deno.test("of ten Allows at once, one makes a grant", async () => {
  const { client: person, id } = await newPerson();
  const { user_code, device_code } = await startDevice(app);
  const answers = await Promise.all(Array.from({ length: 10 }, () => answerDevice(person, user_code, "allow")));
  deepStrictEqual(answers.map(({ status }) => status).sort(), [303, ...Array(9).fill(400)]);
  strictEqual((await db.selectFrom("grants").select("id").where("user_id", "=", id).execute()).length, 1);
  strictEqual((await poll(app, device_code)).status, 200);
});

Deno.test("twenty polls at once after Allow get one grant", async () => {
  const { client: person, id } = await newPerson();
  const { user_code, device_code } = await startDevice(app);
  await allowDevice(person, user_code);
  const polls = await Promise.all(Array.from({ length: 20 }, () => poll(app, device_code)));
  deepStrictEqual(polls.filter(({ status }) => status === 200).length, 1);
  for (const each of polls.filter(({ status }) => status !== 200)) {
    deepStrictEqual(await errorOf(each), [400, "invalid_grant"]);
  }
  strictEqual((await db.selectFrom("grants").select("id").where("user_id", "=", id).execute()).length, 1);
});

for (const minutes of [-5, 5]) {
  Deno.test(`where a device polls an instance whose clock is off by ${minutes} minutes, it gets one grant`, async () => {
    const off = new Date(services.now().getTime() + minutes * MINUTE_SECONDS * SECOND_MS);
    await using other = await openTestInstance(app, (services) => ({ ...services, now: () => off }));
    const { client } = await newPerson();
    for (const [asked, polled] of [[app, other], [other, app]]) {
      const { device_code, user_code } = await startDevice(asked);
      await allowDevice(client, user_code);
      await tokensIn(poll(polled, device_code));
      for (const again of [asked, polled]) {
        deepStrictEqual(await errorOf(poll(again, device_code)), [400, "invalid_grant"]);
      }
    }
  });
}

Deno.test("a device that polls too early must wait five seconds longer each time", async () => {
  const { device_code } = await startDevice(app);
  const expect = async (error: string) => deepStrictEqual(await errorOf(poll(app, device_code)), [400, error]);
  await expect("authorization_pending");
  app.advance(4);
  await expect("slow_down");
  app.advance(9);
  await expect("slow_down");
  app.advance(15);
  await expect("authorization_pending");
  app.advance(14);
  await expect("slow_down");
  app.advance(20);
  await expect("authorization_pending");
});

Deno.test("who may poll", async () => {
  const { device_code } = await startDevice(app);
  deepStrictEqual(await errorOf(poll(app, device_code, "reader")), [400, "invalid_grant"]);
  deepStrictEqual(await errorOf(poll(app, "x".repeat(43))), [400, "invalid_grant"]);
  deepStrictEqual(await errorOf(poll(app, device_code, "wiki")), [400, "unauthorized_client"]);
  deepStrictEqual(await errorOf(poll(app, "")), [400, "invalid_request"]);
  deepStrictEqual(await errorOf(poll(app, device_code, "nobody")), [401, "invalid_client"]);
  const exchanged = postForm(app, "/oauth/token", {
    client_id: "portal",
    grant_type: "authorization_code",
    code: device_code,
    redirect_uri: "https://app.example/callback",
  });
  deepStrictEqual(await errorOf(exchanged), [400, "invalid_grant"]);
});

Deno.test("who may ask, and for what", async () => {
  const ask = (fields: Record<string, string>) => postForm(app, "/oauth/device_authorization", fields);
  deepStrictEqual(await errorOf(ask({ client_id: "phone" })), [400, "unauthorized_client"]);
  deepStrictEqual(await errorOf(ask({ client_id: "nobody" })), [401, "invalid_client"]);
  deepStrictEqual(await errorOf(ask({ client_id: "cli", scope: "admin users:read" })), [400, "invalid_scope"]);
  deepStrictEqual(await errorOf(ask({ client_id: "cli", resource: NOTES })), [400, "invalid_target"]);
  strictEqual((await ask({ client_id: "reader", resource: NOTES, scope: "notes:read" })).status, 200);
});

Deno.test("a code of a device is no authorization code", async () => {
  const { client: person } = await newPerson();
  const { user_code, device_code } = await startDevice(app);
  await allowDevice(person, user_code);
  const exchanged = postForm(app, "/oauth/token", {
    client_id: "portal",
    grant_type: "authorization_code",
    code: device_code,
    redirect_uri: "https://app.example/callback",
  });
  deepStrictEqual(await errorOf(exchanged), [400, "invalid_grant"]);
  strictEqual((await poll(app, device_code)).status, 200);
});

Deno.test("the page requires a session, a recent proof, and the person for whom it was shown", async () => {
  const { client: person } = await newPerson();
  strictEqual((await app.client().get("/device")).headers.get("Location"), "/login?next=%2Fdevice");
  strictEqual((await answerDevice(app.client(), "BBBB-BBBB")).status, 401);
  const { user_code, device_code } = await startDevice(app);
  app.advance(15 * MINUTE_SECONDS + 1);
  strictEqual((await person.get("/device")).headers.get("Location"), "/reauthenticate?next=%2Fdevice");
  match(await html(person, "/reauthenticate?next=%2Fdevice"), /Then you can connect a device\./);
  deepStrictEqual(await errorOf(poll(app, device_code)), [400, "expired_token"]);
  const { user_code: code, device_code: newer } = await startDevice(app);
  strictEqual(user_code === code, false);
  strictEqual((await answerDevice(person, code)).status, 200);
  const asked = await answerDevice(person, code, "allow");
  strictEqual(asked.status, 403);
  const page = new Page(await asked.text());
  ok(page.fieldNames.includes("proof_password"), page.text);
  const fields = { userCode: code, answer: "allow", user: "someone-else" };
  strictEqual((await person.submit("/device", { ...fields, proof_password: PASSWORD })).status, 403);
  deepStrictEqual(await errorOf(poll(app, newer)), [400, "authorization_pending"]);
  const { user: _, ...own } = fields;
  const allowed = await person.submit("/device", { ...own, proof_password: PASSWORD });
  strictEqual(allowed.headers.get("Location"), "/device?answered=allowed");
  strictEqual((await poll(app, newer)).status, 200);
});

Deno.test("an account that is closing cannot connect a device", async () => {
  const { client: person, email } = await newPerson();
  const { user_code } = await startDevice(app);
  await person.request("/api/account", { method: "DELETE" });
  await logIn(person, email);
  for (const response of [await person.get("/device"), await answerDevice(person, user_code)]) {
    match(response.headers.get("Location") ?? "", /^\/keep-account/);
  }
});

Deno.test("a link cannot carry the code", async () => {
  const { client: person } = await newPerson();
  const { user_code } = await startDevice(app);
  const page = await html(person, `/device?user_code=${user_code}&userCode=${user_code}`);
  strictEqual(new Page(page).field("userCode").value, "");
  ok(!page.includes(user_code));
});

Deno.test("an address that is not confirmed, and a second factor that the app requires, come first", async () => {
  const { client: unconfirmed, email } = await registerUser(app, "unconfirmed-device@example.com");
  const first = await startDevice(app);
  const toConfirm = await answerDevice(unconfirmed, first.user_code);
  const query = new URLSearchParams({ email, next: "/device" });
  strictEqual(toConfirm.headers.get("Location"), `/verify-email?${query}`);
  const { client: person, id, email: address } = await newPerson();
  const second = await startDevice(app, "vault");
  strictEqual((await answerDevice(person, second.user_code, "allow")).status, 403, "an app that is not for them");
  await joinGroup(app, id, "keepers");
  const toSetUp = (await answerDevice(person, second.user_code, "allow")).headers.get("Location")!;
  strictEqual(toSetUp, "/settings/sign-in-methods/required?next=%2Fdevice");
  match(await html(person, toSetUp), /Set one up to continue/);
  await person.request("/auth/reauthenticate/code", { method: "POST" });
  await person.send("POST", "/auth/reauthenticate", { code: await mailedCode(app, address) });
  await enableTotp(app, person);
  const toProve = await answerDevice(person, second.user_code, "allow");
  strictEqual(toProve.headers.get("Location"), "/reauthenticate?second=true&next=%2Fdevice");
  deepStrictEqual(await errorOf(poll(app, second.device_code, "vault")), [400, "authorization_pending"]);
});

Deno.test("only members of its groups may connect a device, also at the poll", async () => {
  const { client: person, id } = await newPerson();
  await prepareGroups(services);
  const moveTo = (groups: string[]) => setGroups(services, { userId: id, groups, by: COMMAND_LINE, reason: "a test" });
  const { user_code, device_code } = await startDevice(app, "staff-cli");
  const refused = await answerDevice(person, user_code, "allow");
  strictEqual(refused.status, 403);
  match(await refused.text(), /Only members of certain groups may use/);
  await moveTo(["staff"]);
  await allowDevice(person, user_code);
  await moveTo([]);
  deepStrictEqual(await errorOf(poll(app, device_code, "staff-cli")), [400, "invalid_grant"]);
});

Deno.test("settings show the device, and disconnecting ends it", async () => {
  const { client: person } = await newPerson();
  const userAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
  const response = await postForm(fromOneAddress(app), "/oauth/device_authorization", { client_id: "cli" }, {
    "User-Agent": userAgent,
  });
  const { user_code, device_code } = await response.json();
  await allowDevice(person, user_code);
  const devices = async () => (await (await person.get("/api/account/apps")).json()).data[0].devices;
  deepStrictEqual(await devices(), [], "before the device has fetched it");
  const { refresh_token } = await tokensIn(poll(app, device_code));
  const createdAt = unixSeconds(services.now());
  deepStrictEqual(await devices(), [{ device: "Firefox on Linux", clientAddress: "192.0.2.7", createdAt }]);
  match(new Page(await html(person, "/settings/apps")).text, /Asked from Firefox on Linux\s*· 192\.0\.2\.7/);
  const { data: [{ id, offline }] } = await (await person.get("/api/account/apps")).json();
  strictEqual(offline, true);
  strictEqual((await person.request(`/api/account/apps/${id}`, { method: "DELETE" })).status, 204);
  deepStrictEqual(await errorOf(refresh(app, "cli", refresh_token!)), [400, "invalid_grant"]);
});

Deno.test("an approval is an event", async () => {
  const { client: person, id } = await newPerson();
  await allowDevice(person, (await startDevice(app)).user_code);
  const events = await db.selectFrom("events").select(["kind", "details"]).where("user_id", "=", id)
    .where("kind", "in", ["device.approved", "app.authorized"]).orderBy("kind").execute();
  deepStrictEqual(events.map(({ kind, details }) => [kind, (details as { app: string }).app]), [
    ["app.authorized", "cli"],
    ["device.approved", "cli"],
  ]);
});

Deno.test("each device causes an alert, also that of an app which the person knows", async () => {
  const { client: person, email } = await newPerson();
  for (const count of [1, 2]) {
    await allowDevice(person, (await startDevice(app)).user_code);
    strictEqual((await subjectsTo(app, email)).filter((subject) => subject.includes("can now use")).length, count);
  }
});

Deno.test("a suspension between Allow and the poll ends the grant", async () => {
  const { client: person, id } = await newPerson();
  const { user_code, device_code } = await startDevice(app);
  await allowDevice(person, user_code);
  await suspendUser(services, { who: id, by: COMMAND_LINE, reason: "spam" });
  deepStrictEqual(await errorOf(poll(app, device_code)), [400, "invalid_grant"]);
  strictEqual((await db.selectFrom("grants").select("id").where("user_id", "=", id).execute()).length, 0);
});

const limited = await openSharedTestApp({ CLIENTS_FILE: clientsFile, LIMIT_DEVICE: "3/900" });

Deno.test("wrong codes count per person, right ones do not", async () => {
  const { client: person } = await registerVerifiedUser(limited, "guesses@example.com");
  const { client: other } = await registerVerifiedUser(limited, "calm@example.com");
  const started = await startDevice(limited);
  for (let right = 0; right < 5; right++) strictEqual((await answerDevice(person, started.user_code)).status, 200);
  for (let wrong = 0; wrong < 3; wrong++) strictEqual((await answerDevice(person, "BBBB-BBBB")).status, 400);
  strictEqual((await answerDevice(person, "BBBB-BBBB")).status, 429);
  strictEqual((await answerDevice(other, "BBBB-BBBB")).status, 400);
});

Deno.test("wrong codes count too where the proof of who types them has expired", async () => {
  const { client: person } = await registerVerifiedUser(limited, "sly@example.com");
  limited.advance(services.config.sudoSeconds + 1);
  for (let guesses = 0; guesses < 3; guesses++) {
    strictEqual((await answerDevice(person, "BBBB-BBBB", "allow")).status, 400);
  }
  strictEqual((await answerDevice(person, "BBBB-BBBB", "allow")).status, 429);
});

Deno.test("requests of devices count per address until someone allows them", async () => {
  await using limited = await openTestApp({ CLIENTS_FILE: clientsFile, LIMIT_DEVICE_START: "3/3600" });
  await prepareSigningKeys(limited.services);
  const { client: person } = await registerVerifiedUser(limited, "many@example.com");
  const near = fromOneAddress(limited);
  for (let allowed = 0; allowed < 5; allowed++) await allowDevice(person, (await startDevice(near)).user_code);
  for (let left = 0; left < 3; left++) await startDevice(near);
  await startDevice(limited);
  const refused = await postForm(near, "/oauth/device_authorization", { client_id: "cli" });
  ok(Number(refused.headers.get("Retry-After")) > 0);
  deepStrictEqual(await errorOf(refused), [429, "temporarily_unavailable"]);
  strictEqual((await limited.services.db.selectFrom("device_codes").select("id").execute()).length, 9);
});
