import { deepStrictEqual, match, rejects, strictEqual } from "node:assert/strict";
import { createFoyer, FoyerUnavailable } from "../../lib/client/foyer.ts";
import { startFoyer } from "../../lib/client/test.ts";
import { DAY_SECONDS } from "../../lib/duration.ts";

/** What the tests of a product use instead of the package `foyer-server`. */
const command = [
  Deno.execPath(),
  "task",
  "--quiet",
  "--config",
  new URL("../../deno.json", import.meta.url).pathname,
  "foyer",
];

Deno.test("a product's test gets a Foyer with people who are logged in, their emails, and a clock that moves", async () => {
  await using foyer = await startFoyer({ users: [{ name: "Ada Lovelace" }, { name: "Root", role: "admin" }], command });
  const [ada, root] = foyer.users;
  const product = createFoyer({ url: foyer.url });
  const sessionOf = ({ cookie }: { cookie: string }) => product.session({ headers: { cookie } });
  strictEqual((await sessionOf(ada))?.user.email, "ada.lovelace@example.com");
  strictEqual((await sessionOf(root))?.user.role, "admin");
  strictEqual((await product.api(ada).getProfile()).user.name, "Ada Lovelace");
  const subjects = (await foyer.mails(ada.email)).map(({ subject }) => subject);
  match(subjects.join(), /Confirm/);
  deepStrictEqual(await foyer.mails("someone@example.com"), []);

  const login = { email: ada.email, password: "wrong" };
  for (let i = 0; i < 7; i++) await rejects(product.api().logIn(login), { code: "INVALID_CREDENTIALS" });
  await foyer.forward(40 * DAY_SECONDS);
  strictEqual(await sessionOf(ada), null);
});

Deno.test("a Foyer that cannot start says why", () =>
  rejects(startFoyer({ command, env: { BASE_URL: "http://foyer.example" } }), (error: Error) => {
    match(error.message, /BASE_URL: must be an address of this machine with APP_ENV=test/);
    return error instanceof FoyerUnavailable;
  }));
