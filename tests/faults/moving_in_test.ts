import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { scryptSync } from "node:crypto";
import { type GivenHash, readGivenHash } from "../../lib/crypto/given_hash.ts";
import { verifyPassword } from "../../lib/crypto/password.ts";
import { FOREIGN_HASHES } from "../support/app/foreign_hashes.ts";
import { withFolder } from "../support/database/engines.ts";
import { startCluster } from "../support/database/postgres_cluster.ts";
import { readDocument } from "../support/source/documents.ts";
import { COMMAND_MAX_MS } from "../support/wait_for.ts";

const GUIDE = await readDocument("docs/moving-in.md");
const BCRYPT = FOREIGN_HASHES["bcrypt 2a"];
const FIREBASE = FOREIGN_HASHES.firebase;

/** Runs the command of a section of the guide beside some files, and returns the lines that it makes. */
async function linesOf(
  section: string,
  { files = {}, env = {}, before = "" }: {
    files?: Record<string, string>;
    env?: Record<string, string>;
    before?: string;
  },
) {
  const [, text] = GUIDE.split(`\n## ${section}\n`);
  const [, command] = text.split("\n## ")[0].match(/```sh\n([\s\S]*?)```/)!;
  let lines: unknown[] = [];
  await withFolder(async (cwd) => {
    for (const [name, content] of Object.entries(files)) await Deno.writeTextFile(`${cwd}/${name}`, content);
    const { code, stderr } = await new Deno.Command("bash", {
      args: ["-euc", `${before}\n${command}`],
      cwd,
      env,
      stdin: "null",
      signal: AbortSignal.timeout(COMMAND_MAX_MS),
    }).output();
    strictEqual(code, 0, new TextDecoder().decode(stderr));
    const made = await Deno.readTextFile(`${cwd}/users.jsonl`);
    lines = made.trim().split("\n").map((line) => JSON.parse(line));
  });
  return lines as { email: string; passwordHash: GivenHash }[];
}

async function assertMatches(passwordHash: GivenHash, password: string): Promise<void> {
  const read = readGivenHash(passwordHash);
  ok("stored" in read, JSON.stringify(passwordHash));
  ok(await verifyPassword(password, { storedHash: read.stored, iterations: 1, owner: "test" }));
}

const jsonLines = (values: unknown[]) => values.map((value) => JSON.stringify(value)).join("\n") + "\n";

Deno.test("the guide to moving from Auth0 makes lines from its two exports", async () => {
  const { passwordHash } = BCRYPT;
  const lines = await linesOf("Auth0", {
    files: {
      "hashes.json": jsonLines([
        { _id: { $oid: "5dea9f9c82dd7c0e76e4ec93" }, email_verified: true, email: "Ann@example.com", passwordHash },
        {
          _id: { $oid: "5dea9f9c82dd7c0e76e4ec94" },
          passwordHash,
          identifiers: [{ type: "username", value: "bob" }, {
            type: "email",
            value: "bob@example.com",
            verified: true,
          }],
        },
        { _id: { $oid: "5dea9f9c82dd7c0e76e4ec95" }, email_verified: false, email: "new@example.com", passwordHash },
        { _id: { $oid: "5dea9f9c82dd7c0e76e4ec96" }, passwordHash },
      ]),
      "users.json": jsonLines([
        { email: "ann@example.com", name: "Ann Example", created_at: "2019-12-06T18:36:12.412Z" },
        { email: "bob@example.com", name: "bob@example.com", created_at: "2020-12-06T18:36:12.412Z" },
        { name: "Without an address", created_at: "2020-12-06T18:36:12.412Z" },
      ]),
    },
  });
  const [ann, bob] = ["2019-12-06T18:36:12.412Z", "2020-12-06T18:36:12.412Z"];
  deepStrictEqual(lines, [
    { email: "Ann@example.com", name: "Ann Example", emailVerified: true, createdAt: ann, passwordHash },
    { email: "bob@example.com", name: null, emailVerified: true, createdAt: bob, passwordHash },
    { email: "new@example.com", name: null, emailVerified: false, createdAt: null, passwordHash },
  ]);
});

Deno.test("the guide to moving from Firebase makes lines from its export and the parameters of the project", async () => {
  const { firebaseScrypt } = FIREBASE.passwordHash as { firebaseScrypt: Record<string, string> };
  const exported = {
    users: [
      {
        localId: "1",
        email: "ann@example.com",
        emailVerified: true,
        displayName: "Ann Example",
        createdAt: "1486324027123",
        passwordHash: firebaseScrypt.hash,
        salt: firebaseScrypt.salt,
      },
      { localId: "2", email: "bob@example.com", createdAt: "1486324027123" },
      { localId: "3", phoneNumber: "+491234", createdAt: "1486324027123" },
    ],
  };
  const lines = await linesOf("Firebase", {
    files: { "exported.json": JSON.stringify(exported) },
    before: 'firebase() { [ "$1 $2" = "auth:export users.json" ] && cp exported.json users.json; }; PROJECT=example',
    env: { BASE64_SIGNER_KEY: firebaseScrypt.signerKey },
  });
  const createdAt = 1486324027;
  deepStrictEqual(lines, [
    {
      email: "ann@example.com",
      name: "Ann Example",
      emailVerified: true,
      createdAt,
      passwordHash: { firebaseScrypt },
    },
    { email: "bob@example.com", name: null, emailVerified: false, createdAt, passwordHash: null },
  ]);
  await assertMatches(lines[0].passwordHash, FIREBASE.password);
});

Deno.test("the guides to moving from Supabase and Better Auth make lines from their tables", async () => {
  await using cluster = await startCluster();
  const run = async (sql: string) => {
    const { code, stderr } = await new Deno.Command("psql", { args: ["-v", "ON_ERROR_STOP=1", cluster.url, "-c", sql] })
      .output();
    strictEqual(code, 0, new TextDecoder().decode(stderr));
  };
  await run(`
    create schema auth;
    create table auth.users (email text, encrypted_password text, email_confirmed_at timestamptz, created_at timestamptz,
      raw_user_meta_data jsonb, deleted_at timestamptz);
    insert into auth.users values
      ('ann@example.com', '${BCRYPT.passwordHash}', now(), '2024-05-01T12:00:00.9Z', '{"full_name": "Ann \\"A\\" Ex"}', null),
      ('bob@example.com', '', null, '2024-05-01T12:00:00Z', '{"name": "B"}', null),
      ('', '', null, now(), '{}', null), (null, null, null, now(), null, null),
      ('gone@example.com', '', now(), now(), '{}', now());
  `);
  const createdAt = 1714564800;
  deepStrictEqual(await linesOf("Supabase", { env: { SUPABASE_DATABASE_URL: cluster.url } }), [
    {
      email: "ann@example.com",
      name: 'Ann "A" Ex',
      emailVerified: true,
      createdAt,
      passwordHash: BCRYPT.passwordHash,
    },
    { email: "bob@example.com", name: null, emailVerified: false, createdAt, passwordHash: null },
  ]);

  // As Better Auth computes it.
  const salt = "00112233445566778899aabbccddeeff";
  const key = scryptSync("Old-password-1", salt, 64, { N: 16_384, r: 16, p: 1, maxmem: 2 ** 26 }).toString("hex");
  await run(`
    create table "user" (id text, name text, email text, "emailVerified" boolean, "createdAt" timestamp);
    create table account ("userId" text, "providerId" text, password text);
    insert into "user" values ('1', 'Ann', 'ann@example.com', true, '2024-05-01 12:00:00.9'),
      ('2', '', 'bob@example.com', false, '2024-05-01 12:00:00');
    insert into account values ('1', 'google', null), ('1', 'credential', '${salt}:${key}'), ('2', 'google', null);
  `);
  const [ann, bob] = (await linesOf("Better Auth", { env: { BETTER_AUTH_DATABASE_URL: cluster.url, PGTZ: "UTC" } }))
    .sort((a, b) => a.email < b.email ? -1 : 1);
  deepStrictEqual(
    { ...ann, passwordHash: "" },
    { email: "ann@example.com", name: "Ann", emailVerified: true, createdAt, passwordHash: "" },
  );
  await assertMatches(ann.passwordHash, "Old-password-1");
  deepStrictEqual(bob, {
    email: "bob@example.com",
    name: null,
    emailVerified: false,
    createdAt,
    passwordHash: null as unknown as string,
  });
});

Deno.test("the guides to moving from PocketBase and Clerk make lines from a database and a table", async () => {
  const passwordHash = BCRYPT.passwordHash as string;
  const quoted = passwordHash.replaceAll("$", "\\$");
  const pocketBase = await linesOf("PocketBase", {
    before: `mkdir pb_data; sqlite3 pb_data/data.db "
      create table users (email text, name text, verified boolean, created text, password text);
      insert into users values ('ann@example.com', 'Ann ''A'' Ex', 1, '2024-05-01 12:00:00.123Z', '${quoted}'),
        ('bob@example.com', '', 0, '2024-05-01 12:00:00.123Z', ''), ('', '', 0, '', '')"`,
  });
  const createdAt = 1714564800;
  deepStrictEqual(pocketBase, [
    { email: "ann@example.com", name: "Ann 'A' Ex", emailVerified: true, createdAt, passwordHash },
    { email: "bob@example.com", name: null, emailVerified: false, createdAt, passwordHash: null },
  ]);

  const columns =
    "id,first_name,last_name,username,primary_email_address,primary_phone_number,verified_email_addresses," +
    "unverified_email_addresses,verified_phone_numbers,unverified_phone_numbers,totp_secret,password_digest,password_hasher";
  const clerk = await linesOf("Clerk", {
    files: {
      "users.csv": [
        columns,
        `u1,Ann,"Ex, ""A""",,ann@example.com,,"other@example.com, ann@example.com",,,,,${passwordHash},bcrypt`,
        `u2,,,,an@example.com,,joan@example.com,an@example.com,,,,5f4dcc3b5aa765d61d8327deb882cf99,md5`,
        "u3,Phone,Only,,,+491234,,,,,,,",
      ].join("\n") + "\n",
    },
  });
  deepStrictEqual(clerk, [
    { email: "ann@example.com", name: 'Ann Ex, "A"', emailVerified: true, passwordHash },
    { email: "an@example.com", name: null, emailVerified: false, passwordHash: null },
  ]);
});
