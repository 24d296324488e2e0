import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { MINUTE_SECONDS, secondsAfter } from "../../lib/duration.ts";
import { sealLink } from "../../lib/uploads/private/link_token.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { type Page, withPage } from "../support/browser/browser.ts";
import { openSharedSite } from "../support/browser/shared_site.ts";
import { quarters } from "../support/images/pictures.ts";
import { uploaderOf } from "../support/uploads/upload_world.ts";

/** The responses to requests at private addresses: where from, how, and the status. */
const responses: string[] = [];
/** Where all requests say that they come from. */
const referrers: (string | null)[] = [];
const { app, browser, url } = await openSharedSite({}, (handler) => async (req, info) => {
  referrers.push(req.headers.get("referer"));
  const response = await handler(req, info);
  if (new URL(req.url).pathname.startsWith("/files/private/")) {
    responses.push(`${req.headers.get("sec-fetch-site")} ${req.headers.get("sec-fetch-dest")} ${response.status}`);
  }
  return response;
});

const html = () => new Response("<!doctype html><title>Other</title>", { headers: { "Content-Type": "text/html" } });
const other = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, html);
Deno.test.afterAll(() => other.shutdown());
const ORIGINS = {
  "cross-site": `http://localhost:${other.addr.port}`,
  "same-site": `http://127.0.0.1:${other.addr.port}`,
};
ok(url.startsWith("http://127.0.0.1:"));

const owner = uploaderOf(app, await registerVerifiedUser(app, "owner@example.com"));
const stranger = await registerVerifiedUser(app, "stranger@example.com");
const bytes = new Uint8Array(await quarters(undefined, 32, 32).png().toBuffer());
const request = { filename: "a.png", contentType: "image/png", size: bytes.length, visibility: "private" };
const presigned = await owner.presign(request);
strictEqual(await owner.put(presigned, bytes, "image/png"), 200);
strictEqual((await owner.confirm(presigned.id)).status, 200);
const { publicUrl: address, key } = presigned;
const terms = { expiresAt: secondsAfter(app.services.now(), MINUTE_SECONDS), download: false };
const link = `${address}?link=${await sealLink(app.services, { key, linkNumber: 0 }, terms)}`;

const NOT_FOUND = "Page not found";
/** The browser's own page of an image complains about the sandbox. */
const IMAGE_PAGE = /(inline style|script execution).*a\.png/s;

/** Ways in which a page takes in what another site has. Each returns whether it got anything. */
const WAYS = ["image", "script", "style", "video", "fetch", "opaque fetch", "frame", "object"] as const;

async function take(page: Page, way: typeof WAYS[number], target: string): Promise<boolean> {
  if (way === "frame" || way === "object") return await takeInFrame(page, way, target);
  return await page.evaluate(async ([way, target]) => {
    const credentials = "include";
    if (way === "fetch") return await fetch(target, { credentials }).then(({ ok }) => ok, () => false);
    if (way === "opaque fetch") {
      return await fetch(target, { mode: "no-cors", credentials }).then(() => true, () => false);
    }
    const element = document.createElement({ image: "img", script: "script", style: "link", video: "video" }[way]!);
    const loaded = new Promise<boolean>((resolve) => {
      for (const event of ["load", "loadedmetadata"]) element.addEventListener(event, () => resolve(true));
      element.addEventListener("error", () => resolve(false));
    });
    if (way === "style") Object.assign(element, { rel: "stylesheet", href: target });
    else Object.assign(element, { src: target });
    document.body.append(element);
    return await loaded;
  }, [way, target]);
}

async function takeInFrame(page: Page, way: "frame" | "object", target: string): Promise<boolean> {
  await page.setContent(way === "frame" ? `<iframe src="${target}"></iframe>` : `<object data="${target}"></object>`);
  await page.waitForLoadState("networkidle");
  const urls = page.frames().slice(1).map((frame) => frame.url());
  return urls.some((shown) => shown.startsWith(url));
}

async function logIn(page: Page, who: typeof owner | typeof stranger | null): Promise<void> {
  const value = who?.client.cookies.get("auth_session");
  if (value === undefined) return;
  await page.context().addCookies([{ name: "auth_session", value, url, sameSite: "Strict", httpOnly: true }]);
}

const VISITORS = { "the owner": owner, "someone else": stranger, "a guest": null };

for (const [site, origin] of Object.entries(ORIGINS)) {
  for (const [who, visitor] of Object.entries(VISITORS)) {
    Deno.test(`a page of another ${site === "cross-site" ? "site" : "origin"} gets no private file of ${who}`, () =>
      withPage(browser, async (page) => {
        await logIn(page, visitor);
        for (const target of [address, link]) {
          for (const way of WAYS) {
            await page.goto(origin);
            strictEqual(await take(page, way, target), false, `${way} ${target}`);
          }
        }
      }, { allow: [/./] }));

    Deno.test(`a link on another ${site === "cross-site" ? "site" : "origin"} opens the private file of the owner for ${who}`, () =>
      withPage(browser, async (page) => {
        await logIn(page, visitor);
        const isOwner = visitor === owner;
        for (const [target, status] of [[address, isOwner ? 200 : 404], [link, 200]] as const) {
          responses.length = 0;
          await page.goto(origin);
          await page.setContent(`<a href="${target}">open</a>`);
          await page.getByRole("link").click();
          if (status === 200) await page.locator(`img[src="${target}"]`).waitFor();
          else await page.getByRole("heading", { level: 1, name: NOT_FOUND }).waitFor();
          const hops = site === "cross-site" && target === address;
          const first = `${site} document ${hops ? 200 : status}`;
          deepStrictEqual(responses, hops ? [first, `same-origin document ${status}`] : [first]);
        }
      }, { allow: [/status of 404/, IMAGE_PAGE] }));
  }
}

Deno.test("other sites get none of the bytes, because the browser sends them no session", async () => {
  responses.length = 0;
  await withPage(browser, async (page) => {
    await logIn(page, owner);
    for (const way of WAYS) {
      await page.goto(ORIGINS["cross-site"]);
      await take(page, way, address);
    }
  }, { allow: [/./] });
  strictEqual(responses.length, WAYS.length);
  for (const response of responses) match(response, /^cross-site \w+ 404$/);
});

Deno.test("the owner's pages show a private file", () =>
  withPage(browser, async (page) => {
    await logIn(page, owner);
    await page.goto(`${url}/uploads`);
    strictEqual(await take(page, "image", address), true);
    strictEqual(await take(page, "fetch", address), true);
  }));

Deno.test("a page at the address of a link, and where it leads, learn nothing about the link", () =>
  withPage(browser, async (page) => {
    referrers.length = 0;
    await page.goto(`${link}changed`);
    await page.getByRole("heading", { level: 1, name: "This link doesn’t work" }).waitFor();
    await page.getByRole("main").getByRole("link").first().click();
    await page.waitForURL(`${url}/**`);
    ok(referrers.length > 2, "the page loads styles, and its link leads to another page");
    deepStrictEqual(new Set(referrers.filter((referrer) => referrer?.includes("/files/"))), new Set());
    deepStrictEqual(app.logLines.filter((line) => line.includes(new URL(link).searchParams.get("link")!)), []);
  }, { allow: [/status of 404/] }));
