import { strictEqual } from "node:assert/strict";
import { DAY_SECONDS } from "../../../lib/duration.ts";
import { type Color, PRINTABLE, QUARTERS } from "../images/pictures.ts";
import { type Uploader, uploaderOf } from "../uploads/upload_world.ts";
import { PASSWORD, registerUser, registerVerifiedUser } from "./accounts.ts";
import { createToken } from "./api_tokens.ts";
import type { UsedApp } from "./test_app.ts";

/** The people of the demo. The first one is an admin. */
export const DEMO_NAMES = [
  ..."Ada Lovelace, Grace Hopper, Alan Turing, Katherine Johnson, Edsger Dijkstra, Barbara Liskov, Donald Knuth".split(
    ", ",
  ),
  ..."Hedy Lamarr, Claude Shannon, Radia Perlman, Dennis Ritchie, Margaret Hamilton, Ken Thompson, Frances Allen".split(
    ", ",
  ),
  ..."John McCarthy, Mary Jackson, Tony Hoare, Annie Easley, Niklaus Wirth, Adele Goldberg, Alan Kay, Karen Jones"
    .split(", "),
  ..."Tim Lee, Shafi Goldwasser, Leslie Lamport, Jean Bartik, Robin Milner, Betty Holberton, John Backus".split(", "),
  ..."Evelyn Granville, Peter Naur, Sophie Wilson, Vint Cerf, Mary Somerville, Kathleen Booth, Ole Dahl".split(", "),
  ..."Christine Darden, Kristen Nygaard, Dorothy Vaughan, Jim Gray".split(", "),
];
const PLACES = ["London", "New York", "Manchester", "Rotterdam", "Boston", "Oslo", "Zürich", "Wellington", ""];
const BIOS = ["Writes compilers.", "Likes proofs, and programs that have one.", "Measures first.\nThen cuts.", ""];
const OTHER_BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0";
const LARGE_PHOTO: [width: number, height: number] = [1600, 1200];

/** Returns the address of someone in the demo. */
export function demoEmail(name: string): string {
  return `${name.toLowerCase().replace(" ", ".")}@example.com`;
}

/**
 * Fills an empty database with the people of the demo. One joins each day.
 *
 * @throws {Error} when the database holds anyone.
 */
export async function seedDemo(app: UsedApp): Promise<void> {
  const someone = await app.services.db.selectFrom("users").select("id").limit(1).executeTakeFirst();
  if (someone !== undefined) throw new Error("The database is not empty: it holds at least one user");
  for (const [index, name] of DEMO_NAMES.entries()) {
    await addPerson(app, name, index);
    await app.deliverMails();
    app.advance(DAY_SECONDS);
  }
}

async function addPerson(app: UsedApp, name: string, index: number): Promise<void> {
  const isVerified = index % 8 < 7;
  const person = await (isVerified ? registerVerifiedUser : registerUser)(app, demoEmail(name), name);
  const { client, id, email } = person;
  if (index === 0) await app.services.db.updateTable("users").set({ role: "admin" }).where("id", "=", id).execute();
  const profile = {
    bio: pick(BIOS, index),
    location: pick(PLACES, index),
    website: index % 3 ? "" : "https://example.com",
  };
  strictEqual((await client.send("PUT", "/api/profile", profile)).status, 200);
  await addFiles(uploaderOf(app, person), index);
  if (isVerified && index % 5 === 0) await logInElsewhere(app, email);
  if (isVerified && index % 10 === 0) await createToken(client, { name: "Backup script", scopes: ["uploads:read"] });
}

/** Photos of three in four people, a picture of every other, notes of every third. */
async function addFiles(uploader: Uploader, index: number): Promise<void> {
  if (index % 4 < 3) {
    const { url: avatar } = await uploader.image("avatar", undefined, colorsOf(index));
    strictEqual((await uploader.client.send("PUT", "/api/profile", { avatar })).status, 200);
  }
  if (index % 2 === 0) await uploader.image("post", LARGE_PHOTO, colorsOf(index + 1));
  if (index % 3 === 0) await uploader.store(`Notes of day ${index + 1}\n`);
}

/** Two attempts from another browser, of which the first one has a wrong password. */
async function logInElsewhere(app: UsedApp, email: string): Promise<void> {
  const client = app.client();
  const logIn = async (password: string) =>
    (await client.send("POST", "/auth/login", { email, password }, { "User-Agent": OTHER_BROWSER })).status;
  strictEqual(await logIn(`${PASSWORD}?`), 401);
  strictEqual(await logIn(PASSWORD), 200);
}

/** Four colors that differ from those of the neighbors. */
function colorsOf(index: number): Color[] {
  const colors = [...QUARTERS, ...PRINTABLE];
  return Array.from({ length: 4 }, (_, quarter) => pick(colors, index + quarter * (1 + index % 5)));
}

function pick<T>(all: T[], index: number): T {
  return all[index % all.length];
}
