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

/** What stands for the program of the package. */
const PROGRAM = `
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
const args = process.argv.slice(2);
appendFileSync(new URL("runs", import.meta.url), args[0] + "\\n");
const [program, ...rest] = COMMAND;
const child = spawn(program, [...rest, ...args], { stdio: "inherit" });
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("close", (code) => process.exit(code ?? 1));
`;

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

/** The test of a product, in its own folder. */
const PRODUCT = `
import { createFoyer } from "${new URL("../../lib/client/foyer.ts", import.meta.url)}";
import { startFoyer } from "${new URL("../../lib/client/test.ts", import.meta.url)}";
await (await startFoyer()).stop();
console.warn("second start");
const foyer = await startFoyer({
  users: [{ name: "Ada", confirmed: false }],
  env: { RETURN_ORIGIN: "http://localhost:3000" },
});
const [ada] = foyer.users;
const product = createFoyer({ url: foyer.url });
const session = await product.session({ headers: { cookie: ada.cookie } });
const { user } = await product.api(ada).getProfile();
console.log(JSON.stringify({ session, isConfirmed: user.emailVerified }));
await foyer.stop();
`;

Deno.test("the installed package migrates one database, which later starts copy, and says what is wrong in the settings", async () => {
  const folder = await Deno.makeTempDir({ prefix: "foyer-product-" });
  try {
    const installed = `${folder}/node_modules/foyer-server`;
    await Deno.mkdir(installed, { recursive: true });
    const manifest = { version: "1.0.0", bin: { "foyer-server": "bin.mjs" } };
    await Deno.writeTextFile(`${installed}/package.json`, JSON.stringify(manifest));
    await Deno.writeTextFile(`${installed}/bin.mjs`, PROGRAM.replace("COMMAND", JSON.stringify(command)));
    await Deno.writeTextFile(`${folder}/product.ts`, PRODUCT);
    const config = new URL("../../deno.json", import.meta.url).pathname;
    const args = ["run", "-A", "--no-check", "--quiet", "--config", config, "product.ts"];
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, cwd: folder }).output();
    const [printed, warnings] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    deepStrictEqual(JSON.parse(printed || warnings), { session: null, isConfirmed: false });
    match(warnings, /^second start\n.*RETURN_ORIGINS/);
    strictEqual(await Deno.readTextFile(`${installed}/runs`), "migrate\nstart\nstart\n");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a Foyer that cannot start says why", () =>
  rejects(startFoyer({ command, env: { BASE_URL: "http://foyer.example" } }), (error: Error) => {
    match(error.message, /BASE_URL: must be an address of this machine with APP_ENV=test/);
    return error instanceof FoyerUnavailable;
  }));
