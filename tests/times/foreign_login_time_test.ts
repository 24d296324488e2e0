import { strictEqual } from "node:assert/strict";
import { importUsers } from "../../lib/accounts/user_import.ts";
import { registerVerifiedUser } from "../support/app/accounts.ts";
import { openSharedTestApp } from "../support/app/test_app.ts";
import { assertEqualRefusals } from "../support/refused_logins.ts";

const app = await openSharedTestApp({ LOGIN_MAX_ATTEMPTS: "0", LIMIT_ACCOUNT: "off" });
app.useRealCosts();
const ATTEMPTS = 15;

/** Hashes of other systems, by the name of the account. The first two are of one kind and differ in their costs. */
const HASHES = {
  cheap: "$2b$06$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui",
  expensive: "$2b$09$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui",
  scrypt: "$scrypt$ln=12,r=8,p=1$U29kaXVtQ2hsb3JpZGU$" +
    "cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw",
  pbkdf2: "$pbkdf2-sha256$i=50000$c2FsdA$xeR41ZKIyEGqUw22hFxMjZYok6ABzk4RpJY4c6qYE0o",
};

Deno.test("the time of a refused login does not reveal whether an account exists, or which system has hashed its password", async () => {
  const own = await registerVerifiedUser(app, "own@example.com");
  const people = Object.entries(HASHES).map(([name, passwordHash], line) => ({
    line,
    person: { email: `${name}@example.com`, emailVerified: true, passwordHash },
  }));
  strictEqual((await importUsers(app.services, people, { isDryRun: false })).imported, people.length);
  const emails = [own.email, "nobody@example.com", ...people.map(({ person }) => person.email)];

  await assertEqualRefusals(app, { emails, attempts: ATTEMPTS });
});
