import { authorizePath } from "../app/authorize_page.ts";
import { adminPages } from "./admin_pages.ts";
import { openAccountMenu, type Page } from "./browser.ts";
import {
  addPasskeys,
  breakProfile,
  chooseGuessable,
  createLink,
  createToken,
  fillLibrary,
  followFirst,
  logInToClosing,
  loseProfile,
  loseUpload,
  openDetails,
  openOtherSession,
  openPrivateFile,
  press,
  stallUpload,
  takeAddress,
  typeDeviceCode,
} from "./page_states.ts";
import { AGENT, type Population } from "./population.ts";

/** A page of the site in one state. */
export interface SitePage {
  name: string;
  /** The subject that it belongs to. */
  group: string;
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

/** The environment variables with which the app has all pages. No one signs in with these providers. */
export const ALL_PAGES = {
  LIMIT_LOGIN: "off",
  LIMIT_AUTHORIZE: "1/60",
  LIMIT_DEVICE_START: "off",
  SIGN_IN_CODES: "true",
  CLIENT_METADATA_DOCUMENTS: "on",
  TRUST_DEVICE_DAYS: "30",
  CLIENTS_FILE: decodeURIComponent(new URL("../../fixtures/clients/clients.json", import.meta.url).pathname),
  IDP_PROVIDERS: "google github",
  ...Object.fromEntries(
    ["GOOGLE", "GITHUB"].flatMap((key) => [[`IDP_${key}_CLIENT_ID`, "foyer"], [`IDP_${key}_CLIENT_SECRET`, "s3cret"]]),
  ),
};

/** Returns every page, each in all of its states. */
export function sitePages(population: Population): SitePage[] {
  return Object.entries(pagesByGroup(population)).flatMap(([group, pages]) =>
    pages.map((page) => ({ ...page, group }))
  );
}

const NOTES = "https://notes.example.com";
const REDIRECT_URIS: Record<string, string> = {
  [AGENT]: "http://127.0.0.1/callback",
  editor: "com.example.editor:/callback",
  portal: "https://portal.example.com/callback",
  terminal: "http://127.0.0.1/callback",
  wiki: "https://wiki.example.com/callback",
};

/** The path of a request of an app in CLIENTS_FILE. */
function request(clientId: string, changes: Record<string, string> = {}): string {
  return authorizePath(clientId, { redirect_uri: REDIRECT_URIS[clientId] ?? REDIRECT_URIS[AGENT], ...changes });
}

const REQUIRED_FOR_APP = `/settings/sign-in-methods/required?${new URLSearchParams({
  next: authorizePath("vault", { redirect_uri: "https://vault.example.com/callback" }),
})}`;
const AUTHENTICATOR_PAGE = "/settings/sign-in-methods/authenticator";

function pagesByGroup(population: Population): Record<string, Omit<SitePage, "group">[]> {
  const { userId, confirmPath, resetPath, confirmedPath, changePath, changingCookies, notMePath } = population;
  const { connectedCookies, confirmLinkPath, linkingCookies, linkedCookies } = population;
  const { codeLinkPath, codeLinkCookies, trustingCookies } = population;
  const { factorResetPath, loginLinkPath, stopResetPath, protectedCookies, secondStepCookies, pendingCookies } =
    population;
  return {
    start: [
      { name: "home", path: "/" },
      { name: "docs", path: "/docs" },
      { name: "docs-section", path: "/docs?section=Sign-in" },
      { name: "docs-search", path: "/docs?query=session" },
    ],
    register: [
      { name: "register", path: "/register" },
      {
        name: "register-refused",
        path: "/register",
        prepare: press(({ signIn }) => signIn.register.submit),
        status: 400,
      },
      { name: "register-guessable", path: "/register", prepare: chooseGuessable, status: 400 },
      { name: "register-taken", path: "/register", prepare: takeAddress, status: 409 },
    ],
    login: [
      { name: "login", path: "/login" },
      { name: "login-with-provider-refused", path: "/login?error=idp_email" },
      { name: "login-refused", path: "/login", prepare: press(({ signIn }) => signIn.login.submit), status: 400 },
      { name: "logout", path: "/logout" },
      { name: "app-logout", path: "/oauth/logout", isMember: true },
      { name: "app-logout-done", path: "/oauth/logout" },
      { name: "login-code", path: "/login-code" },
      { name: "login-code-sent", path: "/login-code?email=ada%40example.com&sent=true" },
      {
        name: "login-code-refused",
        path: "/login-code?email=ada%40example.com&sent=true",
        prepare: press(({ signIn }) => signIn.login.submit),
        status: 400,
      },
    ],
    authorize: [
      {
        name: "authorize-consent",
        path: request("wiki", { scope: "openid profile email notes:read", resource: NOTES }),
        isMember: true,
      },
      {
        name: "authorize-consent-offline",
        path: request("editor", { scope: "openid offline_access profile:write" }),
        isMember: true,
      },
      { name: "authorize-one-button", path: request("terminal"), isMember: true },
      { name: "authorize-choice", path: request("wiki", { prompt: "select_account" }), isMember: true },
      { name: "authorize-too-often", path: request("portal"), cookies: connectedCookies, status: 429 },
      { name: "authorize-agent", path: request(AGENT), isMember: true },
      { name: "authorize-agent-withheld", path: request(AGENT, { scope: "admin" }), isMember: true, status: 400 },
      {
        name: "authorize-agent-unusable",
        path: request("https://127.0.0.1/client.json"),
        isMember: true,
        status: 400,
      },
      { name: "authorize-untrusted", path: request("wiki", { redirect_uri: "https://other.example" }), status: 400 },
    ],
    device: [
      { name: "device", path: "/device", isMember: true },
      {
        name: "device-refused",
        path: "/device",
        isMember: true,
        prepare: press(({ authorize }) => authorize.device.submit),
        status: 400,
      },
      { name: "device-question", path: "/device", isMember: true, prepare: typeDeviceCode },
      { name: "device-answered", path: "/device?answered=allowed", isMember: true },
    ],
    password: [
      { name: "forgot-password", path: "/forgot-password" },
      { name: "reset-password", path: resetPath },
      { name: "reset-password-dead-link", path: "/reset-password?email=ada%40example.com&token=x" },
      { name: "reset-password-without-link", path: "/reset-password" },
    ],
    email: [
      { name: "setup", path: population.setupPath },
      { name: "verify-email", path: confirmPath },
      { name: "verify-email-confirmed", path: confirmedPath },
      { name: "verify-email-dead-link", path: "/verify-email?email=ada%40example.com&token=x" },
      { name: "verify-email-check-email", path: "/verify-email?email=ada%40example.com" },
      { name: "confirm-email", path: changePath },
      { name: "confirm-email-dead-link", path: "/confirm-email?token=x" },
      { name: "not-me", path: notMePath },
      { name: "not-me-dead-link", path: "/not-me?token=x" },
    ],
    "second-factor": [
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
        prepare: press(({ signIn }) => signIn.login.submit),
        status: 400,
      },
      { name: "login-once", path: loginLinkPath },
      { name: "login-once-dead-link", path: "/login-once?token=x" },
      { name: "login-link", path: codeLinkPath, cookies: codeLinkCookies },
      { name: "login-link-elsewhere", path: codeLinkPath },
      { name: "login-link-dead-link", path: "/login-link?token=x" },
      { name: "factor-reset", path: factorResetPath },
      { name: "factor-reset-dead-link", path: "/factor-reset?token=x" },
      { name: "stop-factor-reset", path: stopResetPath },
      { name: "stop-factor-reset-dead-link", path: "/stop-factor-reset?token=x" },
    ],
    authenticator: [
      { name: "authenticator", path: AUTHENTICATOR_PAGE, isMember: true },
      { name: "authenticator-confirm", path: `${AUTHENTICATOR_PAGE}/confirm`, cookies: pendingCookies },
      {
        name: "authenticator-confirm-refused",
        path: `${AUTHENTICATOR_PAGE}/confirm`,
        cookies: pendingCookies,
        prepare: press(({ secondFactor }) => secondFactor.setup.submit),
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
    ],
    people: [
      { name: "people", path: "/users" },
      { name: "person", path: `/users/${userId}` },
      { name: "invite", path: "/invite", isMember: true },
    ],
    errors: [
      { name: "not-found", path: "/nothing", status: 404 },
      { name: "not-allowed", path: "/language", status: 405 },
      { name: "failure", path: "/users", status: 500, failure: new Error("the secret inside") },
      { name: "unavailable", path: "/users", status: 503, failure: new Error("PGlite is closed") },
    ],
    dashboard: [
      { name: "dashboard", path: "/dashboard", isMember: true },
      { name: "account-menu", path: "/dashboard", isMember: true, prepare: openAccountMenu },
    ],
    profile: [
      { name: "profile", path: "/profile", isMember: true },
      { name: "profile-refused", path: "/profile", isMember: true, prepare: breakProfile },
      { name: "profile-offline", path: "/profile", isMember: true, prepare: loseProfile, isOffline: true },
    ],
    account: [
      { name: "settings-language", path: "/settings/language", isMember: true },
      { name: "settings-data", path: "/settings/data", isMember: true },
      { name: "close-account", path: "/close-account", isMember: true },
      { name: "keep-account", path: "/login", prepare: logInToClosing },
      { name: "reauthenticate", path: "/reauthenticate?next=%2Fsettings%2Femail", isMember: true },
    ],
    settings: [
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
        prepare: press(({ settings }) => settings.password.submit),
        status: 400,
      },
    ],
    "sign-in-methods": [
      { name: "settings-sign-in-methods", path: "/settings/sign-in-methods", isMember: true },
      {
        name: "settings-add-sign-in-method",
        path: "/settings/sign-in-methods/add?provider=google",
        cookies: linkingCookies,
      },
      { name: "settings-second-factor-required", path: REQUIRED_FOR_APP, isMember: true },
      { name: "settings-confirm-sign-in-method", path: confirmLinkPath, cookies: linkingCookies },
      {
        name: "settings-remove-sign-in-method",
        path: "/settings/sign-in-methods/remove?provider=google",
        cookies: linkedCookies,
      },
      { name: "add-way", path: "/settings/sign-in-methods/add", isMember: true },
      { name: "add-provider", path: "/settings/sign-in-methods/add?provider=github", isMember: true },
      { name: "settings-passkeys", path: "/settings/sign-in-methods", isMember: true, prepare: addPasskeys },
      { name: "settings-passkey-add", path: "/settings/sign-in-methods/passkeys/add", isMember: true },
      {
        name: "settings-passkey-rename",
        path: "/settings/sign-in-methods",
        isMember: true,
        prepare: followFirst(({ passkeys }) => passkeys.renameOf),
      },
      {
        name: "settings-passkey-remove",
        path: "/settings/sign-in-methods",
        isMember: true,
        prepare: followFirst(({ passkeys }) => passkeys.removeOf),
      },
    ],
    sessions: [
      { name: "settings-sessions", path: "/settings/sessions", isMember: true, prepare: openOtherSession },
      { name: "settings-sessions-trusted", path: "/settings/sessions", cookies: trustingCookies },
      { name: "settings-apps", path: "/settings/apps", cookies: connectedCookies },
      { name: "settings-apps-none", path: "/settings/apps", isMember: true },
      { name: "settings-activity", path: "/settings/activity", isMember: true },
    ],
    tokens: [
      { name: "settings-tokens", path: "/settings/tokens", isMember: true },
      { name: "settings-tokens-new", path: "/settings/tokens/new", isMember: true },
      {
        name: "settings-tokens-refused",
        path: "/settings/tokens/new",
        isMember: true,
        prepare: press(({ tokens }) => tokens.create),
        status: 400,
      },
      { name: "settings-tokens-created", path: "/settings/tokens/new", isMember: true, prepare: createToken },
    ],
    uploads: [
      { name: "uploads", path: "/uploads", isMember: true },
      { name: "uploads-library", path: "/uploads", isMember: true, prepare: fillLibrary },
      { name: "uploads-share", path: "/uploads", isMember: true, prepare: openPrivateFile },
      { name: "uploads-link", path: "/uploads", isMember: true, prepare: createLink },
      { name: "uploads-sending", path: "/uploads", isMember: true, prepare: stallUpload },
      { name: "uploads-offline", path: "/uploads", isMember: true, prepare: loseUpload, isOffline: true },
      { name: "outbox", path: "/dev/outbox" },
      { name: "outbox-kinds", path: "/dev/emails" },
    ],
    administration: adminPages(population),
  };
}
