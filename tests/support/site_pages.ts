import { registerUser } from "./accounts.ts";
import type { Page } from "./browser.ts";
import type { TestApp } from "./test_app.ts";

/** A page of the site in one of its states. */
export interface SitePage {
  name: string;
  path: string;
  isMember?: boolean;
  /** What to do there before looking. */
  prepare?(page: Page): Promise<void>;
  /** A status that the browser complains about in its console. */
  status?: number;
  /** What the database throws meanwhile. */
  failure?: Error;
}

/** Every page, filled with people; gives the id of one who has written a profile. */
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
    { name: "start", path: "/" },
    { name: "register", path: "/register" },
    { name: "register-refused", path: "/register", prepare: press("Register"), status: 400 },
    { name: "login", path: "/login" },
    { name: "login-refused", path: "/login", prepare: press("Log in"), status: 400 },
    { name: "forgot-password", path: "/forgot-password" },
    { name: "reset-password", path: "/reset-password?email=ada%40example.com&token=x" },
    { name: "reset-password-without-link", path: "/reset-password" },
    { name: "verify-email", path: "/verify-email?email=ada%40example.com&token=x" },
    { name: "verify-email-check-mail", path: "/verify-email?email=ada%40example.com" },
    { name: "people", path: "/users" },
    { name: "person", path: `/users/${userId}` },
    { name: "not-found", path: "/nothing", status: 404 },
    { name: "failure", path: "/users", status: 500, failure: new Error("the secret inside") },
    { name: "unavailable", path: "/users", status: 503, failure: new Error("PGlite is closed") },
    { name: "dashboard", path: "/dashboard", isMember: true },
    { name: "profile", path: "/profile", isMember: true },
    { name: "profile-refused", path: "/profile", isMember: true, prepare: breakProfile },
    { name: "uploads", path: "/uploads", isMember: true },
    { name: "outbox", path: "/dev/outbox" },
  ];
}

async function breakProfile(page: Page): Promise<void> {
  await page.getByLabel("Website").fill("nowhere");
  await page.getByRole("button", { name: "Save profile" }).click();
  await page.getByRole("alert").waitFor();
}
