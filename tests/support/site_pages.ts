import { Buffer } from "node:buffer";
import { registerUser } from "./accounts.ts";
import type { Page } from "./browser.ts";
import { quarters } from "./pictures.ts";
import type { TestApp } from "./test_app.ts";

/** A page of the site in one state. */
export interface SitePage {
  name: string;
  path: string;
  isMember?: boolean;
  /** Brings the page into its state. */
  prepare?(page: Page): Promise<void>;
  /** An error status, which the browser logs to its console. */
  status?: number;
  /** The error that the database throws while the page loads. */
  failure?: Error;
  /** Whether `prepare` disconnects the browser, so that its requests fail. */
  isOffline?: boolean;
}

/** Registers users for the pages to show. Returns the id of one with a complete profile. */
export async function populate(app: TestApp): Promise<string> {
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
  return id;
}

export function sitePages(userId: string): SitePage[] {
  const press = (name: string) => async (page: Page) => {
    await page.getByRole("button", { name, exact: true }).click();
    await page.getByRole("alert").waitFor();
  };
  return [
    { name: "home", path: "/" },
    { name: "register", path: "/register" },
    { name: "register-refused", path: "/register", prepare: press("Create account"), status: 400 },
    { name: "login", path: "/login" },
    { name: "login-refused", path: "/login", prepare: press("Log in"), status: 400 },
    { name: "forgot-password", path: "/forgot-password" },
    { name: "reset-password", path: "/reset-password?email=ada%40example.com&token=x" },
    { name: "reset-password-without-link", path: "/reset-password" },
    { name: "verify-email", path: "/verify-email?email=ada%40example.com&token=x" },
    { name: "verify-email-check-email", path: "/verify-email?email=ada%40example.com" },
    { name: "people", path: "/users" },
    { name: "person", path: `/users/${userId}` },
    { name: "not-found", path: "/nothing", status: 404 },
    { name: "failure", path: "/users", status: 500, failure: new Error("the secret inside") },
    { name: "unavailable", path: "/users", status: 503, failure: new Error("PGlite is closed") },
    { name: "dashboard", path: "/dashboard", isMember: true },
    { name: "profile", path: "/profile", isMember: true },
    { name: "profile-refused", path: "/profile", isMember: true, prepare: breakProfile },
    { name: "profile-offline", path: "/profile", isMember: true, prepare: loseProfile, isOffline: true },
    { name: "uploads", path: "/uploads", isMember: true },
    { name: "uploads-sending", path: "/uploads", isMember: true, prepare: stallUpload },
    { name: "uploads-offline", path: "/uploads", isMember: true, prepare: loseUpload, isOffline: true },
    { name: "outbox", path: "/dev/outbox" },
  ];
}

async function breakProfile(page: Page): Promise<void> {
  await page.getByLabel("Website").fill("nowhere");
  await page.getByRole("button", { name: "Save profile" }).click();
  await page.getByRole("alert").waitFor();
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

/** Uploads one file, then fails to upload another. */
async function loseUpload(page: Page): Promise<void> {
  await page.getByText("You can also drop them here").waitFor();
  await upload(page, "minutes.txt");
  await page.getByRole("button", { name: "Copy link to minutes.txt" }).waitFor();
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
  await page.getByRole("button", { name: "Upload" }).click();
}
