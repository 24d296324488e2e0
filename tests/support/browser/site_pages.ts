import { Buffer } from "node:buffer";
import { HOUR_SECONDS, secondsAfter } from "../../../lib/duration.ts";
import { keepIdentity } from "../../../lib/sign_in/providers/identity_link.ts";
import { mailedPath, PASSWORD, principalOf, registerUser, registerVerifiedUser } from "../app/accounts.ts";
import { openAccountMenu, type Page } from "./browser.ts";
import { quarters } from "../images/pictures.ts";
import { enableTotp, startLogin } from "../app/second_factor.ts";
import { SoftwareAuthenticator } from "../app/software_authenticator.ts";
import type { TestApp } from "../app/test_app.ts";

/** A page of the site in one state. */
export interface SitePage {
  name: string;
  path: string;
  isMember?: boolean;
  /** The cookies with which the browser visits the page. */
  cookies?: Record<string, string>;
  /** Brings the page into its state. */
  prepare?(page: Page): Promise<void>;
  /** An error status, which the browser logs to its console. */
  status?: number;
  /** The error that the database throws while the page loads. */
  failure?: Error;
  /** Whether `prepare` disconnects the browser, so that its requests fail. */
  isOffline?: boolean;
}

/** What the paths of pages refer to. */
interface Population {
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
  factorResetPath: string;
  stopResetPath: string;
  /** The cookies of a user with an authenticator app, who has just got new recovery codes. */
  protectedCookies: Record<string, string>;
  /** The cookies of a browser that must enter a code to log in. */
  secondStepCookies: Record<string, string>;
  /** The cookies of a user who is about to add an authenticator app. */
  pendingCookies: Record<string, string>;
}

/** The environment variables with which the app has all pages. No one signs in with these providers. */
export const ALL_PAGES = {
  LIMIT_LOGIN: "off",
  SIGN_IN_CODES: "true",
  IDP_PROVIDERS: "google github",
  ...Object.fromEntries(
    ["GOOGLE", "GITHUB"].flatMap((key) => [[`IDP_${key}_CLIENT_ID`, "foyer"], [`IDP_${key}_CLIENT_SECRET`, "s3cret"]]),
  ),
};

/** Registers users for the pages to show. */
export async function populate(app: TestApp): Promise<Population> {
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
  };
}

/** Someone who adds an identity provider, and has already been there. */
async function populateLinking(app: TestApp) {
  const { client } = await registerVerifiedUser(app, "linking@example.com", "Evelyn Granville");
  const { user, session } = await principalOf(app, client);
  const provider = "google";
  const person = { subject: "google evelyn", email: "evelyn@example.com", name: "Evelyn", picture: null };
  const token = await keepIdentity(app.services, {
    provider,
    purpose: "link",
    userId: user.id,
    sessionIds: [session.id],
    next: null,
    expiresAt: secondsAfter(app.services.now(), HOUR_SECONDS),
  }, { ...person, provider, emailVerified: true });
  const confirmLinkPath = `/settings/sign-in-methods/confirm?${new URLSearchParams({ token })}`;
  return { confirmLinkPath, linkingCookies: Object.fromEntries(client.cookies) };
}

async function populateFactors(app: TestApp) {
  const { client, email } = await registerVerifiedUser(app, "protected@example.com", "Mary Jackson");
  await enableTotp(app, client);
  await client.submit("/settings/sign-in-methods/authenticator/recovery-codes", {});
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
  return {
    factorResetPath,
    stopResetPath,
    protectedCookies: Object.fromEntries(client.cookies),
    secondStepCookies: Object.fromEntries(guest.cookies),
    pendingCookies: Object.fromEntries(pending.client.cookies),
  };
}

export function sitePages(population: Population): SitePage[] {
  const { userId, confirmPath, resetPath, confirmedPath, changePath, changingCookies, notMePath } = population;
  const { confirmLinkPath, linkingCookies } = population;
  const { factorResetPath, stopResetPath, protectedCookies, secondStepCookies, pendingCookies } = population;
  const press = (name: string) => async (page: Page) => {
    await page.getByRole("button", { name, exact: true }).click();
    await refused(page);
  };
  return [
    { name: "home", path: "/" },
    { name: "docs", path: "/docs" },
    { name: "register", path: "/register" },
    { name: "register-refused", path: "/register", prepare: press("Create account"), status: 400 },
    { name: "register-guessable", path: "/register", prepare: chooseGuessable, status: 400 },
    { name: "register-taken", path: "/register", prepare: takeAddress, status: 409 },
    { name: "login", path: "/login" },
    { name: "login-with-provider-refused", path: "/login?error=idp_email" },
    { name: "login-refused", path: "/login", prepare: press("Log in"), status: 400 },
    { name: "logout", path: "/logout" },
    { name: "login-code", path: "/login-code" },
    { name: "login-code-sent", path: "/login-code?email=ada%40example.com&sent=true" },
    {
      name: "login-code-refused",
      path: "/login-code?email=ada%40example.com&sent=true",
      prepare: press("Log in"),
      status: 400,
    },
    { name: "forgot-password", path: "/forgot-password" },
    { name: "reset-password", path: resetPath },
    { name: "reset-password-dead-link", path: "/reset-password?email=ada%40example.com&token=x" },
    { name: "reset-password-without-link", path: "/reset-password" },
    { name: "verify-email", path: confirmPath },
    { name: "verify-email-confirmed", path: confirmedPath },
    { name: "verify-email-dead-link", path: "/verify-email?email=ada%40example.com&token=x" },
    { name: "verify-email-check-email", path: "/verify-email?email=ada%40example.com" },
    { name: "confirm-email", path: changePath },
    { name: "confirm-email-dead-link", path: "/confirm-email?token=x" },
    { name: "not-me", path: notMePath },
    { name: "not-me-dead-link", path: "/not-me?token=x" },
    { name: "second-factor", path: "/second-factor", cookies: secondStepCookies },
    {
      name: "second-factor-recovery",
      path: "/second-factor?with=recovery",
      cookies: secondStepCookies,
      prepare: openDetails,
    },
    {
      name: "second-factor-refused",
      path: "/second-factor",
      cookies: secondStepCookies,
      prepare: press("Log in"),
      status: 400,
    },
    { name: "factor-reset", path: factorResetPath },
    { name: "factor-reset-dead-link", path: "/factor-reset?token=x" },
    { name: "stop-factor-reset", path: stopResetPath },
    { name: "stop-factor-reset-dead-link", path: "/stop-factor-reset?token=x" },
    { name: "authenticator", path: AUTHENTICATOR_PAGE, isMember: true },
    { name: "authenticator-confirm", path: `${AUTHENTICATOR_PAGE}/confirm`, cookies: pendingCookies },
    {
      name: "authenticator-confirm-refused",
      path: `${AUTHENTICATOR_PAGE}/confirm`,
      cookies: pendingCookies,
      prepare: press("Turn on"),
      status: 400,
    },
    { name: "authenticator-remove", path: `${AUTHENTICATOR_PAGE}/remove`, cookies: protectedCookies },
    { name: "recovery-codes", path: `${AUTHENTICATOR_PAGE}/recovery-codes`, cookies: protectedCookies },
    {
      name: "recovery-codes-new",
      path: `${AUTHENTICATOR_PAGE}/recovery-codes`,
      cookies: { ...protectedCookies, shown_once: "" },
    },
    { name: "sign-in-methods-protected", path: "/settings/sign-in-methods", cookies: protectedCookies },
    { name: "people", path: "/users" },
    { name: "person", path: `/users/${userId}` },
    { name: "not-found", path: "/nothing", status: 404 },
    { name: "failure", path: "/users", status: 500, failure: new Error("the secret inside") },
    { name: "unavailable", path: "/users", status: 503, failure: new Error("PGlite is closed") },
    { name: "dashboard", path: "/dashboard", isMember: true },
    { name: "account-menu", path: "/dashboard", isMember: true, prepare: openAccountMenu },
    { name: "profile", path: "/profile", isMember: true },
    { name: "profile-refused", path: "/profile", isMember: true, prepare: breakProfile },
    { name: "profile-offline", path: "/profile", isMember: true, prepare: loseProfile, isOffline: true },
    { name: "settings-data", path: "/settings/data", isMember: true },
    { name: "close-account", path: "/close-account", isMember: true },
    { name: "keep-account", path: "/login", prepare: logInToClosing },
    { name: "reauthenticate", path: "/reauthenticate?next=%2Fsettings%2Femail", isMember: true },
    { name: "settings-email", path: "/settings/email", isMember: true },
    {
      name: "settings-email-waiting",
      path: "/settings/email",
      cookies: { ...changingCookies, notice: "email_change_sent" },
    },
    { name: "settings-password", path: "/settings/password", isMember: true },
    {
      name: "settings-password-refused",
      path: "/settings/password",
      isMember: true,
      prepare: press("Change password"),
      status: 400,
    },
    { name: "settings-sign-in-methods", path: "/settings/sign-in-methods", isMember: true },
    {
      name: "settings-add-sign-in-method",
      path: "/settings/sign-in-methods/add?provider=google",
      cookies: linkingCookies,
    },
    { name: "settings-confirm-sign-in-method", path: confirmLinkPath, cookies: linkingCookies },
    { name: "add-provider", path: "/settings/sign-in-methods/add?provider=github", isMember: true },
    { name: "settings-passkeys", path: "/settings/sign-in-methods", isMember: true, prepare: addPasskeys },
    { name: "settings-passkey-add", path: "/settings/sign-in-methods/passkeys/add", isMember: true },
    {
      name: "settings-passkey-rename",
      path: "/settings/sign-in-methods",
      isMember: true,
      prepare: followFirst("Rename Work laptop"),
    },
    {
      name: "settings-passkey-remove",
      path: "/settings/sign-in-methods",
      isMember: true,
      prepare: followFirst("Remove Work laptop"),
    },
    { name: "settings-sessions", path: "/settings/sessions", isMember: true, prepare: openOtherSession },
    { name: "settings-activity", path: "/settings/activity", isMember: true },
    { name: "settings-tokens", path: "/settings/tokens", isMember: true },
    { name: "settings-tokens-new", path: "/settings/tokens/new", isMember: true },
    {
      name: "settings-tokens-refused",
      path: "/settings/tokens/new",
      isMember: true,
      prepare: press("Create a token"),
      status: 400,
    },
    { name: "settings-tokens-created", path: "/settings/tokens/new", isMember: true, prepare: createToken },
    { name: "uploads", path: "/uploads", isMember: true },
    { name: "uploads-library", path: "/uploads", isMember: true, prepare: fillLibrary },
    { name: "uploads-sending", path: "/uploads", isMember: true, prepare: stallUpload },
    { name: "uploads-offline", path: "/uploads", isMember: true, prepare: loseUpload, isOffline: true },
    { name: "outbox", path: "/dev/outbox" },
  ];
}

const AUTHENTICATOR_PAGE = "/settings/sign-in-methods/authenticator";

async function openDetails(page: Page): Promise<void> {
  await page.locator("main summary").click();
}

async function createToken(page: Page): Promise<void> {
  await page.getByLabel("Name").fill("Nightly backup");
  await page.getByLabel("Read your profile").check();
  await page.getByLabel("See your files").check();
  await page.getByRole("button", { name: "Create a token" }).click();
  await page.getByRole("heading", { name: "Your new token" }).waitFor();
}

/** The address of an account that is closing. */
const CLOSING = "closing@example.com";

async function logInToClosing(page: Page): Promise<void> {
  await page.getByLabel("Email address").fill(CLOSING);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("button", { name: "Keep my account" }).waitFor();
}

/** Logs in to the account of the page with a phone. */
async function openOtherSession(page: Page): Promise<void> {
  const { origin } = new URL(page.url());
  const { data } = await (await page.context().request.get(`${origin}/api/account`)).json();
  const phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Version/18.5 Mobile/15E148 Safari/604.1";
  const response = await fetch(`${origin}/auth/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "User-Agent": phone },
    body: JSON.stringify({ email: data.email, password: PASSWORD }),
  });
  await response.body?.cancel();
  await page.reload({ waitUntil: "networkidle" });
}

/** Adds two passkeys, in requests beside the page. */
async function addPasskeys(page: Page): Promise<void> {
  const { origin } = new URL(page.url());
  const { request } = page.context();
  for (const name of ["Work laptop", "The phone with the cracked screen"]) {
    const { options } = await (await request.post(`${origin}/api/passkeys/options`)).json();
    const credential = await new SoftwareAuthenticator(origin).create(options);
    await request.post(`${origin}/api/passkeys`, { data: { name, credential } });
  }
  await page.reload({ waitUntil: "networkidle" });
}

function followFirst(name: string): (page: Page) => Promise<void> {
  return async (page) => {
    await addPasskeys(page);
    await page.getByRole("link", { name, exact: true }).first().click();
    await page.getByRole("main").getByRole("button").waitFor();
  };
}

async function takeAddress(page: Page): Promise<void> {
  await register(page, PASSWORD);
}

async function chooseGuessable(page: Page): Promise<void> {
  await register(page, "Welcome2024!");
}

async function register(page: Page, password: string): Promise<void> {
  await page.getByLabel("Your name").fill("Ada Lovelace");
  await page.getByLabel("Email address").fill("lovelace@example.com");
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Create account" }).click();
  await refused(page);
}

async function breakProfile(page: Page): Promise<void> {
  await page.getByLabel("Website").fill("nowhere");
  await page.getByRole("button", { name: "Save profile" }).click();
  await refused(page);
}

/** Waits until a field has an error. */
async function refused(page: Page): Promise<void> {
  await page.locator(".field-error:not(:empty)").first().waitFor();
}

async function loseProfile(page: Page): Promise<void> {
  await page.getByLabel("About you").fill("Typed on a train, just before the tunnel.");
  await page.getByText("You have unsaved changes").waitFor();
  await goOffline(page);
  await page.getByRole("button", { name: "Save profile" }).click();
  await page.getByLabel("Choose a photo").setInputFiles({
    name: "me.png",
    mimeType: "image/png",
    buffer: await quarters().png().toBuffer(),
  });
  await page.getByRole("button", { name: "Upload photo" }).click();
  await page.getByRole("alert").getByText("You’re offline. Nothing is lost").nth(1).waitFor();
}

async function stallUpload(page: Page): Promise<void> {
  await page.route("**/files/uploads/**", () => {}); // never responds
  await page.getByText("You can also drop them here").waitFor();
  await upload(page, "film.txt");
  await page.getByRole("progressbar").waitFor();
}

/** Uploads files and a photo, then deletes one of them. */
async function fillLibrary(page: Page): Promise<void> {
  const photo = { name: "holiday.png", mimeType: "image/png", buffer: await quarters().png().toBuffer() };
  await page.getByText("You can also drop them here").waitFor();
  for (const name of ["minutes of the annual general meeting, with all amendments.txt", "old.txt"]) {
    await upload(page, name);
    await uploaded(page, name);
  }
  await page.getByLabel("Choose files").setInputFiles(photo);
  await uploaded(page, photo.name);
  await page.reload({ waitUntil: "networkidle" });
  await page.getByLabel("Select old.txt").first().check();
  await page.getByRole("button", { name: "Delete selected" }).click();
  await page.getByRole("button", { name: "Undo" }).waitFor();
}

/** Waits until a file of the queue has its link. */
async function uploaded(page: Page, name: string): Promise<void> {
  const queue = page.getByRole("list", { name: "Your uploads" });
  await queue.getByRole("button", { name: `Copy link to ${name}` }).waitFor();
}

/** Uploads one file, then fails to upload another. */
async function loseUpload(page: Page): Promise<void> {
  await page.getByText("You can also drop them here").waitFor();
  await upload(page, "minutes.txt");
  await uploaded(page, "minutes.txt");
  await goOffline(page);
  await upload(page, "agenda.txt");
  await page.getByText("You’re offline. Nothing is lost").waitFor();
}

async function goOffline(page: Page): Promise<void> {
  await page.context().setOffline(true);
  await page.getByText("You’re offline. Your").waitFor();
}

async function upload(page: Page, name: string): Promise<void> {
  await page.getByLabel("Choose files").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(name) });
}
