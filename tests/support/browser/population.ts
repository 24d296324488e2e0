import { COMMAND_LINE } from "../../../lib/activity/events.ts";
import { createLoginLink } from "../../../lib/admin/login_link.ts";
import { authorizeUse } from "../../../lib/authorization_server/authorize/authorization.ts";
import { createGrant } from "../../../lib/authorization_server/grant.ts";
import { DAY_SECONDS, HOUR_SECONDS, secondsAfter } from "../../../lib/duration.ts";
import { countUse } from "../../../lib/limits/rate_limit.ts";
import { keepIdentity, linkIdentity } from "../../../lib/sign_in/providers/identity_link.ts";
import { mailedPath, principalOf, registerUser, registerVerifiedUser } from "../app/accounts.ts";
import { enableTotp, startLogin, trustDevice } from "../app/second_factor.ts";
import type { TestApp } from "../app/test_app.ts";
import { type Administration, populateAdministration } from "./admin_pages.ts";

/** The address of an account that is closing. */
export const CLOSING = "closing@example.com";

/** What the paths of pages refer to. */
export interface Population extends Administration {
  /** A user with a complete profile. */
  userId: string;
  /** The paths of links that were emailed and still work. */
  confirmPath: string;
  resetPath: string;
  /** The path of a link that has been used. */
  confirmedPath: string;
  changePath: string;
  /** The cookies of the user whose new address waits for its confirmation. */
  changingCookies: Record<string, string>;
  notMePath: string;
  /** Where someone who has been at an identity provider adds it, and their cookies. */
  confirmLinkPath: string;
  linkingCookies: Record<string, string>;
  /** The cookies of someone who has added an identity provider. */
  linkedCookies: Record<string, string>;
  /** The cookies of someone who uses all apps, as often as the limit allows. */
  connectedCookies: Record<string, string>;
  factorResetPath: string;
  /** A link of the command line that logs in once. */
  loginLinkPath: string;
  stopResetPath: string;
  /** A link beside a code, and the cookies of the browser that asked for it. */
  codeLinkPath: string;
  codeLinkCookies: Record<string, string>;
  /** The cookies of someone in a browser that they trust. */
  trustingCookies: Record<string, string>;
  /** The cookies of a user with an authenticator app, who has just got new recovery codes. */
  protectedCookies: Record<string, string>;
  /** The cookies of a browser that must enter a code to log in. */
  secondStepCookies: Record<string, string>;
  /** The cookies of a user who is about to add an authenticator app. */
  pendingCookies: Record<string, string>;
}

/** An unregistered app. */
export const AGENT = "https://agent.example.com/client.json";

/** Registers users for the pages to show. */
export async function populate(app: TestApp): Promise<Population> {
  await populateAgents(app);
  const names = [
    "Grace Hopper",
    "Katherine Johnson",
    "Mary Somerville",
    "Annie Easley",
    "Hedy Lamarr",
    "Radia Perlman",
  ];
  for (const [index, name] of names.entries()) await registerUser(app, `person-${index}@example.com`, name);
  const { client, id } = await registerUser(app, "lovelace@example.com", "Ada Lovelace");
  await client.send("PUT", "/api/profile", {
    bio: "Mathematician and writer.\nFirst to see that a machine could do more than sums.",
    location: "London",
    website: "https://example.com/ada",
  });
  const confirmPath = await mailedPath(app, "person-0@example.com");
  await app.client().submit("/forgot-password", { email: "person-0@example.com" });
  const resetPath = await mailedPath(app, "person-0@example.com");
  const confirmed = await registerVerifiedUser(app, "confirmed@example.com", "Dorothy Vaughan");
  const confirmedPath = await mailedPath(app, confirmed.email);
  await confirmed.client.send("POST", "/api/account/email", { email: "confirmed-new@example.com" });
  const changePath = await mailedPath(app, "confirmed-new@example.com");
  const notMePath = await mailedPath(app, confirmed.email);
  const closing = await registerVerifiedUser(app, CLOSING, "Ann Closing");
  await closing.client.request("/api/account", { method: "DELETE" });
  return {
    userId: id,
    confirmPath,
    resetPath,
    confirmedPath,
    changePath,
    changingCookies: Object.fromEntries(confirmed.client.cookies),
    notMePath,
    ...await populateFactors(app),
    ...await populateLinking(app),
    connectedCookies: await populateApps(app),
    ...await populateAdministration(app),
  };
}

/** People who add an identity provider and have already been there. One of them has confirmed it too. */
async function populateLinking(app: TestApp) {
  const linking = await startLinking(app, "linking@example.com");
  const linked = await startLinking(app, "linked@example.com");
  await linkIdentity(app.services, await principalOf(app, linked.client), linked.token);
  return {
    confirmLinkPath: `/settings/sign-in-methods/confirm?${new URLSearchParams({ token: linking.token })}`,
    linkingCookies: Object.fromEntries(linking.client.cookies),
    linkedCookies: Object.fromEntries(linked.client.cookies),
  };
}

/** Someone who has allowed all apps in the file something. */
/** Its document has just been read. */
async function populateAgents({ services: { db, now } }: TestApp): Promise<void> {
  await db.insertInto("client_documents").values({
    id: AGENT,
    name: "Example agent",
    redirect_uris: JSON.stringify(["http://127.0.0.1/callback"]),
    expires_at: secondsAfter(now(), 3650 * DAY_SECONDS),
    used_at: now(),
  }).execute();
}

async function populateApps(app: TestApp): Promise<Record<string, string>> {
  const { client: person } = await registerVerifiedUser(app, "connected@example.com", "Gladys West");
  const { user, session } = await principalOf(app, person);
  for (const client of app.services.config.registrations?.clients.values() ?? []) {
    const { scopes, redirectUris: [redirectUri] } = client;
    const request = { scopes, resource: null, redirectUri, codeChallenge: null, nonce: null };
    await app.services.db.transaction().execute((trx) =>
      createGrant(trx, app.services, { user, session, client, request })
    );
    await countUse(app.services, authorizeUse({ user, client }));
  }
  return Object.fromEntries(person.cookies);
}

async function startLinking(app: TestApp, address: string) {
  const { client } = await registerVerifiedUser(app, address, "Evelyn Granville");
  const { user, session } = await principalOf(app, client);
  const provider = "google";
  const person = { subject: address, email: `evelyn-${address}`, name: "Evelyn", picture: null };
  const token = await keepIdentity(app.services, {
    provider,
    purpose: "link",
    userId: user.id,
    sessionIds: [session.id],
    next: null,
    expiresAt: secondsAfter(app.services.now(), HOUR_SECONDS),
  }, { ...person, provider, emailVerified: true, groups: null });
  return { client, token };
}

async function populateFactors(app: TestApp) {
  const { client, email } = await registerVerifiedUser(app, "protected@example.com", "Mary Jackson");
  const totp = await enableTotp(app, client);
  await client.submit("/settings/sign-in-methods/authenticator/recovery-codes", {});
  const trusting = await trustDevice(app, { email, totp });
  await app.deliverMails();
  const asking = app.client();
  await asking.send("POST", "/auth/code", { email });
  const codeLinkPath = await mailedPath(app, email);
  const guest = await startLogin(app, email);
  await guest.submit("/second-factor", { action: "lost" });
  const factorResetPath = await mailedPath(app, email);
  const waiting = await registerVerifiedUser(app, "waiting@example.com", "Christine Darden");
  await enableTotp(app, waiting.client);
  await (await startLogin(app, waiting.email)).submit("/second-factor", { action: "lost" });
  const token = new URLSearchParams((await mailedPath(app, waiting.email)).split("?")[1]).get("token")!;
  await app.client().submit("/factor-reset", { token });
  const stopResetPath = await mailedPath(app, waiting.email);
  const pending = await registerVerifiedUser(app, "pending@example.com", "Mary Golda Ross");
  await pending.client.submit("/settings/sign-in-methods/authenticator", {});
  const { link } = await createLoginLink(app.services, { who: pending.email, by: COMMAND_LINE });
  return {
    factorResetPath,
    loginLinkPath: link.slice(app.services.config.baseUrl.length),
    stopResetPath,
    codeLinkPath,
    codeLinkCookies: Object.fromEntries(asking.cookies),
    trustingCookies: Object.fromEntries(trusting.cookies),
    protectedCookies: Object.fromEntries(client.cookies),
    secondStepCookies: Object.fromEntries(guest.cookies),
    pendingCookies: Object.fromEntries(pending.client.cookies),
  };
}
