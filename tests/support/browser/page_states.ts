import { Buffer } from "node:buffer";
import type { Texts } from "../../../lib/texts/texts.ts";
import { PASSWORD } from "../app/accounts.ts";
import { SoftwareAuthenticator } from "../app/software_authenticator.ts";
import { quarters } from "../images/pictures.ts";
import type { Page } from "./browser.ts";
import { textsOn } from "./page_texts.ts";
import { CLOSING } from "./population.ts";

const WORK_LAPTOP = "Work laptop";

/** Presses a button, and waits until a field has an error. */
export function press(nameIn: (texts: Texts) => string): (page: Page) => Promise<void> {
  return async (page) => {
    await page.getByRole("button", { name: nameIn(await textsOn(page)), exact: true }).click();
    await refused(page);
  };
}

/** Opens the only part of the page that can be opened. */
export async function openDetails(page: Page): Promise<void> {
  await page.locator("main summary").click();
}

/** Types the code of a program, which asks beside the page. */
export async function typeDeviceCode(page: Page): Promise<void> {
  const { authorize: { consent, device } } = await textsOn(page);
  const url = new URL("/oauth/device_authorization", page.url()).href;
  const response = await page.request.post(url, { form: { client_id: "terminal", scope: "openid profile email" } });
  await page.getByLabel(device.code, { exact: true }).fill((await response.json()).user_code);
  await page.getByRole("button", { name: device.submit, exact: true }).click();
  await page.getByRole("button", { name: consent.allow, exact: true }).waitFor();
}

/** Creates an API token. */
export async function createToken(page: Page): Promise<void> {
  const { tokens } = await textsOn(page);
  await page.getByLabel(tokens.name, { exact: true }).fill("Nightly backup");
  await page.getByLabel(tokens.scopes["profile:read"]).check();
  await page.getByLabel(tokens.scopes["uploads:read"]).check();
  await page.getByRole("button", { name: tokens.create }).click();
  await page.getByRole("heading", { name: tokens.newToken }).waitFor();
}

/** Logs in to an account that is closing. */
export async function logInToClosing(page: Page): Promise<void> {
  const { signIn, closing } = await textsOn(page);
  await page.getByLabel(signIn.email, { exact: true }).fill(CLOSING);
  await page.getByLabel(signIn.password, { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: signIn.login.submit, exact: true }).click();
  await page.getByRole("button", { name: closing.keep.submit }).waitFor();
}

/** Logs in to the account of the page with a phone. */
export async function openOtherSession(page: Page): Promise<void> {
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
export async function addPasskeys(page: Page): Promise<void> {
  const { origin } = new URL(page.url());
  const { request } = page.context();
  for (const name of [WORK_LAPTOP, "The phone with the cracked screen"]) {
    const { options } = await (await request.post(`${origin}/api/passkeys/options`)).json();
    const credential = await new SoftwareAuthenticator(origin).create(options);
    await request.post(`${origin}/api/passkeys`, { data: { name, credential } });
  }
  await page.reload({ waitUntil: "networkidle" });
}

/** Adds passkeys, and follows a link of the first one. */
export function followFirst(
  nameIn: (texts: Texts) => (values: { name: string }) => string,
): (page: Page) => Promise<void> {
  return async (page) => {
    await addPasskeys(page);
    const name = nameIn(await textsOn(page))({ name: WORK_LAPTOP });
    await page.getByRole("link", { name, exact: true }).first().click();
    await page.getByRole("main").getByRole("button").waitFor();
  };
}

/** Registers with an address that is taken. */
export async function takeAddress(page: Page): Promise<void> {
  await register(page, PASSWORD);
}

/** Registers with a password that is easy to guess. */
export async function chooseGuessable(page: Page): Promise<void> {
  await register(page, "Welcome2024!");
}

async function register(page: Page, password: string): Promise<void> {
  const { signIn } = await textsOn(page);
  await page.getByLabel(signIn.register.name, { exact: true }).fill("Ada Lovelace");
  await page.getByLabel(signIn.email, { exact: true }).fill("lovelace@example.com");
  await page.getByLabel(signIn.password, { exact: true }).fill(password);
  await page.getByRole("button", { name: signIn.register.submit, exact: true }).click();
  await refused(page);
}

/** Saves a profile with a wrong website. */
export async function breakProfile(page: Page): Promise<void> {
  const { profile } = await textsOn(page);
  await page.getByLabel(profile.labels.website).fill("nowhere");
  await page.getByRole("button", { name: profile.save }).click();
  await refused(page);
}

/** Waits until a field has an error. */
async function refused(page: Page): Promise<void> {
  await page.locator(".field-error:not(:empty)").first().waitFor();
}

/** Saves a profile and a photo without a connection. */
export async function loseProfile(page: Page): Promise<void> {
  const { network, photo, profile } = await textsOn(page);
  await page.getByLabel(profile.labels.bio).fill("Typed on a train, just before the tunnel.");
  await page.getByText(profile.unsaved).waitFor();
  await goOffline(page);
  await page.getByRole("button", { name: profile.save }).click();
  await page.locator(".connection:focus").getByText(network.offlineKeepsText).waitFor();
  await page.getByLabel(photo.choose).setInputFiles({
    name: "me.png",
    mimeType: "image/png",
    buffer: await quarters().png().toBuffer(),
  });
  await page.getByRole("button", { name: photo.upload }).click();
  await page.getByRole("progressbar").waitFor({ state: "detached" });
  await page.getByText(photo.notSaved).waitFor();
}

/** Begins an upload that never ends. */
export async function stallUpload(page: Page): Promise<void> {
  await page.route("**/files/private/**", () => {}); // never responds
  await untilUploadsWork(page);
  await upload(page, "film.txt");
  await page.getByRole("progressbar").waitFor();
}

/** Uploads files and a photo, then deletes one of them. */
export async function fillLibrary(page: Page): Promise<void> {
  const { library, uploads } = await textsOn(page);
  const photo = { name: "holiday.png", mimeType: "image/png", buffer: await quarters().png().toBuffer() };
  await untilUploadsWork(page);
  for (const name of ["minutes of the annual general meeting, with all amendments.txt", "old.txt"]) {
    await upload(page, name);
    await uploaded(page, name);
  }
  await page.getByLabel(library.audience.public).check();
  await page.getByLabel(uploads.choose).setInputFiles(photo);
  await uploaded(page, photo.name);
  // The list below shows the photo. A reload would end its request, which counts as failed.
  await page.locator(".thumbnail img").first().evaluate((image: HTMLImageElement) => image.decode());
  await page.reload({ waitUntil: "networkidle" });
  await page.getByLabel(library.choose({ file: "old.txt" })).first().check();
  await page.getByRole("button", { name: library.deleteChosen }).click();
  await page.getByRole("button", { name: library.undo }).waitFor();
}

/** Uploads a private file, and opens its page. */
export async function openPrivateFile(page: Page): Promise<void> {
  const { sharing, uploads } = await textsOn(page);
  const name = "minutes of the annual general meeting, with all amendments.txt";
  await untilUploadsWork(page);
  await upload(page, name);
  await page.getByRole("button", { name: uploads.shareFile({ file: name }) }).click();
  await page.getByRole("button", { name: sharing.create }).waitFor();
}

/** Creates a link to a private file. */
export async function createLink(page: Page): Promise<void> {
  await openPrivateFile(page);
  const { sharing } = await textsOn(page);
  await page.getByRole("button", { name: sharing.create }).click();
  await page.getByRole("heading", { name: sharing.newLink }).waitFor();
}

/** Waits until a file of the queue can be shared. */
async function uploaded(page: Page, name: string): Promise<void> {
  const { uploads } = await textsOn(page);
  const queue = page.getByRole("list", { name: uploads.list });
  const button = (named: string) => queue.getByRole("button", { name: named, exact: true });
  await button(uploads.copyFile({ file: name })).or(button(uploads.shareFile({ file: name }))).waitFor();
}

/** Uploads one file, then fails to upload another. */
export async function loseUpload(page: Page): Promise<void> {
  const { network } = await textsOn(page);
  await untilUploadsWork(page);
  await upload(page, "minutes.txt");
  await uploaded(page, "minutes.txt");
  await goOffline(page);
  await upload(page, "agenda.txt");
  await page.getByText(network.failed).waitFor();
}

async function goOffline(page: Page): Promise<void> {
  const { network } = await textsOn(page);
  await page.context().setOffline(true);
  await page.getByText(network.offlineKeepsText).or(page.getByText(network.offlineKeepsFiles)).waitFor();
}

/** Waits until the scripts of the page of uploads run. */
async function untilUploadsWork(page: Page): Promise<void> {
  const { uploads } = await textsOn(page);
  await page.getByRole("button", { name: uploads.submit, exact: true }).waitFor({ state: "hidden" });
}

async function upload(page: Page, name: string): Promise<void> {
  const { uploads } = await textsOn(page);
  await page.getByLabel(uploads.choose).setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(name) });
}
