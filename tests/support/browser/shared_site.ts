import type { BrowserContext } from "playwright-core";
import type { Handler } from "../../../lib/server/outer_handler.ts";
import { registerUser, registerVerifiedUser } from "../app/accounts.ts";
import { type Browser, sharedBrowser } from "./browser.ts";
import { serveTestApp } from "../app/served_app.ts";
import type { TestApp } from "../app/test_app.ts";

/** A running app, and a browser to visit it with. */
export interface Site {
  browser: Browser;
  app: TestApp;
  url: string;
  /** Registers a user and gives the session to the browser. Returns the id of the user. */
  logIn(context: BrowserContext, email: string, options?: { name?: string; isVerified?: boolean }): Promise<string>;
}

/** Opens the site at a host name: passkeys do not work at IP addresses. */
export function atHostName(env: Record<string, string>): (url: string) => Record<string, string> {
  return (url) => ({ ...env, BASE_URL: url.replace("127.0.0.1", "localhost") });
}

/** Opens the site for all tests of a file, and closes it after the last of them. */
export async function openSharedSite(
  env: Record<string, string> | ((url: string) => Record<string, string>) = {},
  around?: (handler: Handler) => Handler,
): Promise<Site> {
  const served = await serveTestApp(
    (url) => ({ LOGIN_MAX_ATTEMPTS: "0", ...typeof env === "function" ? env(url) : env }),
    around,
  );
  const browser = await sharedBrowser();
  Deno.test.afterAll(async () => {
    await browser.close();
    await served[Symbol.asyncDispose]();
  });
  const { app } = served;
  const url = app.services.config.baseUrl;
  return {
    browser,
    app,
    url,
    async logIn(context, email, { name, isVerified = true } = {}) {
      const { client, id } = await (isVerified ? registerVerifiedUser : registerUser)(app, email, name);
      await context.addCookies([...client.cookies].map(([name, value]) => ({ name, value, url })));
      return id;
    },
  };
}

/** Every journey works with and without scripts. */
export const BOTH_WAYS = [
  { way: "with scripts", javaScriptEnabled: true },
  { way: "without scripts", javaScriptEnabled: false },
];
