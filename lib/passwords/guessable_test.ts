import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { checkText } from "../schemas/rules.ts";
import { NEW_PASSWORD } from "../schemas/credential_rules.ts";
import { COMMON_STEMS } from "./common_stems.ts";
import { isGuessable } from "./guessable.ts";

const OWN = {
  service: ["Foyer", "login.acme-tools.example"],
  name: "Ada Lovelace",
  email: "countess.king@mail.example",
};

/** What people type when a form asks for a capital letter, a number and a symbol. */
const GUESSED = `
  Password1! P@ssw0rd P@55w0rd! Pa$$w0rd1 Passw0rd! pASSWORD_1 Password123! Password2024# Pass@word1 !Password1 1Password!
  Welcome1! Welcome2024! W3lcome@123 We1come1! He11o-123 Qwerty123$ Qwertz1! Qwer!234 Asdf1234! 1qaz@WSX !QAZ2wsx Zaq12wsx! Abc@1234
  Abcd1234! Aa123456@ Aa@123456 Admin123! Adm1n!23 Administrator1! Letmein1! L3tm31n! Summer2025! Winter#2024
  Spring2026!! January2026! Monday-01 Test@1234 Testtest1! Hello123! Hello-Hello1 Football1! Liverpool1! Iloveyou1!
  Iloveyou-2 Princess1! Dragon99! Monkey!1 Sunshine1! Superman1! Michael1! Jessica2000! London2012! Chocolate1!
  Changeme1! Secret-123 Secr3t!! Trustno1! Master!1 Company1! Passwort1! Motdepasse1! Contraseña1! Haslo123! Geheim!1
  A1b2c3d4! Password-Password-1 Passwörd1! Ｐassword1!
`.trim().split(/\s+/);

/** Made of the words of the service and of the person. */
const OWN_WORDS = `
  Foyer2026! F0yer-123 FoyerFoyer1! FoyerPassword1! Password@Foyer1 Acme2026! Acme-Tools1 Tools1234! Ada-12345! Lovelace1!
  AdaLovelace1! Lovelace.Ada1 L0vel@ce99 Countess1! King-1852 CountessKing1! Mail-1234 Adasecret1!
`.trim().split(/\s+/);

const GOOD = `
  Correct-horse-7 Another-horse-8 Battery-staple-8 Third-horse-99 xK7#mQ2vL9pT Tr0ub4dor&3 purple-Monkey-dishwasher-9
  My-cat-ate-3-fishes! Summer-dragon-7 Aa1!aaaa Aa1!xxxx Aa1!zzzzzzzzzzzzzzzz Zx9!zx9!q Blue-Tiger-42 Str0ng!Passw0rd
  Sup3r-Secret-Word1 Lattice-quartz-5 Grüße-aus-Köln-7 Пароль-Корабль-7 密码-Horse-battery-7 Ünderground-1! Adam-went-5
`.trim().split(/\s+/);

Deno.test("passwords that meet the composition rules with a common stem are guessable", () => {
  deepStrictEqual(accepted(GUESSED), []);
  strictEqual(GUESSED.every((each) => checkText(NEW_PASSWORD, each).problems.length === 0), true);
});

Deno.test("passwords made of the words of the person or the service are guessable", () => {
  deepStrictEqual(accepted(OWN_WORDS), []);
  const stranger = { service: [], name: "Grace Hopper", email: "g@example.com" };
  for (const each of ["Lovelace1!", "Foyer2026!", "Countess1!"]) ok(!isGuessable(each, stranger), each);
});

Deno.test("other passwords are not guessable", () => {
  deepStrictEqual(GOOD.filter((each) => isGuessable(checkText(NEW_PASSWORD, each).text, OWN)), []);
  strictEqual(accepted(GOOD).length, GOOD.length);
});

Deno.test("own words shorter than three letters and the top-level domain do not count", () => {
  const own = { service: ["Foyer"], name: "Al Bo", email: "al@bo.museum" };
  for (const each of ["Al-Bo-12345!", "Museum-2026"]) ok(!isGuessable(each, own), each);
});

Deno.test("long passwords are checked in a few milliseconds", () => {
  const own = { ...OWN, name: `aaa aaaa aaaaa ${"a".repeat(80)}` };
  const worst = [
    `A${"a".repeat(120)}1!x`,
    "Aa1!".repeat(32),
    `${"qwertyuiop".repeat(12)}A1!x`,
    `${"1qaz".repeat(31)}A!x`,
    `${"ａ".repeat(124)}B1!x`,
  ];
  const startedAt = performance.now();
  for (const each of worst) isGuessable(each.normalize("NFKC"), own);
  const milliseconds = performance.now() - startedAt;
  ok(milliseconds < 500, `${milliseconds} ms`);
});

Deno.test("the list of stems is short, in lower case, and has no entry twice", () => {
  ok(COMMON_STEMS.length > 500 && COMMON_STEMS.length < 2000, String(COMMON_STEMS.length));
  strictEqual(new Set(COMMON_STEMS).size, COMMON_STEMS.length);
  deepStrictEqual(COMMON_STEMS.filter((stem) => stem !== stem.toLowerCase() || stem.length < 2), []);
});

function accepted(passwords: string[]): string[] {
  return passwords.filter((each) => !isGuessable(each.normalize("NFKC"), OWN));
}
