import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { findCycles, parseModule, readProject, type SourceModule } from "./support/source/import_graph.ts";
import { sources } from "./support/source/sources.ts";
import { forbiddenImports, type ImportRule, matches } from "./support/source/import_rules.ts";
import { TABLE_OWNERS } from "./support/source/table_owners.ts";

const LEAVES = ["lib/*.ts", "lib/brand/**", "lib/config/**", "lib/metrics/**"];
/** The rooms of rules that do not depend on HTTP, from the bottom up. Each may import those before it. */
const DOMAIN_ROOMS = [
  "activity",
  "limits",
  "idempotency",
  "users",
  "links",
  "grants",
  "uploads",
  "access",
  "accounts",
  "sign_in",
  "authorization_server",
  "closing",
  "webhooks",
  "backup",
  "admin",
  "operations",
];
const DOMAIN = DOMAIN_ROOMS.map((room) => `lib/${room}/**`);
/** The queue, and the domain part of lib/mail. The transports in the same room are adapters. */
const OUTBOX = [
  "lib/queue/**",
  "lib/mail/eml.ts",
  "lib/mail/examples.ts",
  "lib/mail/kinds.ts",
  "lib/mail/layout/**",
  "lib/mail/messages*.ts",
  "lib/mail/outbox.ts",
  "lib/mail/outbox_list.ts",
  "lib/mail/outbox_worker.ts",
  "lib/mail/quotable_name.ts",
];

/** The part of lib/images that the launcher needs to lend converters. It loads no packages. */
const LENDING = [
  "lib/images/conversion_answers.ts",
  "lib/images/conversion_requests.ts",
  "lib/images/converter_folder.ts",
  "lib/images/converter_pool.ts",
  "lib/images/messages.ts",
];

const DOMAIN_PACKAGES = ["kysely", "node:**", "uuid"];

/** The part of lib/passwords that checks new passwords. The service that knows breached ones is an adapter. */
const NEW_PASSWORD = "lib/passwords/new_password.ts";

/**
 * What each room (a folder with one job) may import. The first rule that matches a file applies. A room may import
 * itself only if its rule says so.
 */
const RULES: ImportRule[] = [
  {
    room: "lib/fresh/tests/**",
    files: ["lib/fresh/**", "tests/support/browser/browser.ts", "tests/support/processes/free_port.ts"],
    packages: ["**"],
  },
  {
    room: "lib/fresh/**",
    files: ["lib/fresh/**"],
    packages: ["@preact/signals", "esbuild", "fresh", "fresh/*", "node:**", "preact", "preact-render-to-string"],
    testFiles: ["tests/support/browser/browser.ts"],
  },
  {
    room: "routes/**",
    files: [
      ...DOMAIN,
      "islands/**",
      "lib/api/**",
      "lib/brand/**",
      "lib/config/features.ts",
      "lib/http/**",
      "lib/schemas/**",
      "lib/server/monitoring/health.ts",
      "lib/server/monitoring/readiness.ts",
      "lib/texts/**",
      "lib/ui/**",
      "lib/web/**",
      "routes/**(_components)/**",
    ],
    // A page creates the signals that its islands share.
    packages: ["@preact/signals", "fresh", "fresh/runtime", "preact"],
  },
  {
    room: "islands/**",
    // Islands use the components of pages and the types of errors.
    files: ["islands/**", "lib/browser/**", "lib/errors.ts", "lib/schemas/**", "lib/texts/**", "lib/ui/**"],
    packages: ["@preact/signals", "fresh/runtime", "preact"],
  },
  {
    room: "lib/browser/**",
    files: ["lib/browser/**", "lib/errors.ts", "lib/schemas/**", "lib/texts/**", "lib/ui/**"],
    packages: ["@preact/signals", "preact"],
  },
  {
    room: "lib/ui/**",
    files: ["lib/brand/*.ts", "lib/errors.ts", "lib/schemas/**", "lib/texts/**", "lib/ui/**"],
    packages: ["fresh/runtime", "preact", "preact/jsx-runtime", "preact-render-to-string"],
  },
  {
    // Only the parser loads the library for arguments: the service, which runs commands too, does not need it.
    room: "lib/command_line/parse.ts",
    files: ["lib/errors.ts", "lib/command_line/**", "lib/http/error_english.ts"],
    packages: ["commander"],
  },
  {
    room: "lib/command_line/**",
    files: [...DOMAIN, ...LEAVES, ...OUTBOX, "lib/command_line/**", "lib/http/**", "lib/schemas/**", "lib/texts/**"],
    packages: ["node:**", "zod"],
  },
  {
    // Beside main.ts, only this file opens a database: a copy of that of the service.
    room: "lib/server/foyer.ts",
    files: [
      ...LEAVES,
      "db/connection.ts",
      "db/database_errors.ts",
      "db/database_use.ts",
      "lib/backup/database_copy.ts",
      "lib/command_line/**",
      "lib/server/**",
      "main.ts",
    ],
    packages: [],
  },
  {
    // Only start.ts, migrate.ts and foyer.ts import main.ts.
    room: "lib/server/**",
    files: [
      ...LEAVES,
      ...DOMAIN,
      ...LENDING,
      ...OUTBOX,
      "db/database_errors.ts",
      "db/database_handle.ts",
      "db/schema.ts",
      "lib/command_line/**",
      "lib/crypto/app_secret.ts",
      "lib/http/**",
      "lib/jobs/**",
      "lib/schemas/**",
      "lib/server/**",
      "lib/web/**",
      "main.ts",
    ],
    packages: ["kysely", "node:**"],
  },
  { room: "lib/release/**", files: ["lib/release/**", "lib/server/app_arguments.ts"], packages: ["node:**"] },
  {
    // In development, it shows examples of emails.
    room: "lib/web/**",
    files: [
      ...DOMAIN,
      ...LEAVES,
      "lib/mail/examples.ts",
      "lib/mail/kinds.ts",
      "db/database_errors.ts",
      "fresh.config.ts",
      "lib/api/**",
      "lib/http/**",
      "lib/schemas/**",
      "lib/texts/**",
      "lib/ui/**",
      "lib/web/**",
    ],
    packages: ["cookie", "fresh", "fresh/runtime", "node:**", "preact", "zod"],
  },
  // HTTP that knows no account.
  { room: "lib/http/**", files: [...LEAVES, "lib/http/**"], packages: ["cookie", "ipaddr.js", "node:**", "zod"] },
  { room: "lib/schemas/**", files: ["lib/duration.ts", "lib/problem.ts", "lib/schemas/**"], packages: ["zod"] },
  {
    room: "lib/texts/**",
    files: [
      "lib/brand/brand.ts",
      "lib/duration.ts",
      "lib/errors.ts",
      "lib/problem.ts",
      "lib/schemas/**",
      "lib/texts/**",
    ],
    packages: ["icu-minify", "node:**", "preact"],
  },
  // Describes the API, from the schemas and the names of limits and of OAuth's errors alone.
  {
    room: "lib/api/**",
    files: [
      ...LEAVES,
      "lib/api/**",
      "lib/authorization_server/tokens/oauth_error.ts",
      "lib/limits/policy.ts",
      "lib/schemas/**",
    ],
    packages: ["node:**", "zod"],
  },
  {
    ...domainRule("lib/sign_in/passkeys/webauthn.ts"),
    packages: ["@simplewebauthn/server", "@simplewebauthn/server/helpers"],
  },
  { room: "lib/passwords/breached_passwords*.ts", files: [...LEAVES, "lib/passwords/*"], packages: ["node:**"] },
  {
    room: "lib/passwords/**",
    files: [
      ...LEAVES,
      NEW_PASSWORD,
      "lib/passwords/common_stems.ts",
      "lib/passwords/guessable.ts",
      "lib/schemas/**",
      "lib/texts/**",
    ],
    packages: [],
  },
  // It restores backups of earlier releases by migrating them, and reads and writes the files itself.
  {
    ...domainRule("lib/backup", [...DOMAIN, "db/migrate.ts"]),
    packages: [...DOMAIN_PACKAGES, "modern-tar", "zod"],
  },
  // It compares the database with the release.
  {
    ...domainRule("lib/operations/checks.ts"),
    files: [...LEAVES, ...OUTBOX, "db/migrate.ts", "db/schema.ts"],
  },
  adapterRule("lib/webhooks/sender.ts", {
    files: [...LEAVES, "db/schema.ts", "lib/queue/retry.ts", "lib/webhooks/webhook_error.ts"],
  }),
  ...DOMAIN_ROOMS.map((room, index) => ({
    ...domainRule(`lib/${room}`, [...DOMAIN.slice(0, index), NEW_PASSWORD]),
    ...(room === "sign_in" && { packages: [...DOMAIN_PACKAGES, "uqr"] }),
    ...(room === "authorization_server" && { packages: [...DOMAIN_PACKAGES, "jose", "zod"] }),
  })),
  // Repeating work of every room.
  domainRule("lib/jobs", [...DOMAIN]),
  { room: "lib/queue/**", files: [...LEAVES, "lib/queue/**"], packages: ["node:**"] },
  ...OUTBOX.map((file) => domainRule(file)),
  adapterRule("lib/mail", {
    files: [...LEAVES, "lib/queue/delivery_error.ts", "lib/queue/retry.ts"],
    packages: ["nodemailer"],
  }),
  adapterRule("lib/images", { packages: ["imagescript", "sharp"] }),
  adapterRule("lib/oauth", { packages: ["oauth4webapi"] }),
  adapterRule("lib/storage", { packages: ["aws4fetch"] }),
  { room: "lib/crypto/bcrypt_worker.ts", files: [], packages: ["bcryptjs"] },
  { room: "lib/crypto/**", files: [...LEAVES, "lib/crypto/**"], packages: ["node:**"] },
  ...LEAVES.map((room) => ({
    room,
    files: [...LEAVES, "db/schema.ts", "lib/authorization_server/registered_client.ts", "lib/texts/texts.ts"],
    packages: ["ipaddr.js", "node:**", "zod"],
  })),
  // A released migration never changes, so it must not depend on code that may change.
  { room: "db/migrations/**", files: [], packages: ["kysely"] },
  // One engine each. They share the files of db/, and are opened by connection.ts alone.
  { room: "db/postgres/**", files: [...LEAVES, "db/*.ts", "db/postgres/**"], packages: ["kysely", "node:**", "pg"] },
  {
    room: "db/embedded/**",
    files: [...LEAVES, "db/*.ts", "db/embedded/**"],
    packages: ["@electric-sql/pglite", "@electric-sql/pglite-prepopulatedfs", "kysely", "node:**"],
  },
  {
    room: "db/*.ts",
    files: [
      ...LEAVES,
      "db/*.ts",
      "db/embedded/open_embedded.ts",
      "db/migrations/**",
      "db/postgres/open_postgres.ts",
      "lib/mail/kinds.ts",
      "lib/schemas/event_kinds.ts",
      "lib/schemas/profile_rules.ts",
      "lib/schemas/scopes.ts",
    ],
    packages: ["kysely"],
  },
  { room: "tests/**", files: ["**"], packages: ["**"] },
  { room: "*.ts", files: ["**"], packages: ["fresh", "fresh/*", "node:**"] },
];

function domainRule(room: string, others: string[] = []): ImportRule {
  return {
    room: /\.ts$|\*$/.test(room) ? room : `${room}/**`,
    files: [
      ...LEAVES,
      ...OUTBOX,
      "db/after_commit.ts",
      "db/database_errors.ts",
      "db/prepared_query.ts",
      "db/selected_once.ts",
      "db/schema.ts",
      "lib/activity/**",
      "lib/crypto/**",
      "lib/schemas/**",
      "lib/texts/**",
      `${room}/**`,
      ...others,
    ],
    packages: DOMAIN_PACKAGES,
  };
}

function adapterRule(room: string, { files = LEAVES, packages = [] }: { files?: string[]; packages?: string[] }) {
  return {
    room: room.endsWith(".ts") ? room : `${room}/**`,
    files: [...files, "lib/crypto/**", `${room}/**`],
    packages: ["node:**", ...packages],
  };
}

/** Statements for several tables: the tokens of emails, expired rows of every table, and the rows of backups. */
const WRITES_TO_SEVERAL_TABLES = [
  "lib/backup/earlier_schema.ts",
  "lib/backup/restored_rows.ts",
  "lib/jobs/expired_rows.ts",
  "lib/links/address_token.ts",
  "lib/links/emailed_token.ts",
];

const ENTRIES_AND_TESTS = [
  "main.ts",
  "lib/release/release.ts",
  "lib/server/fail_to_start.ts",
  "lib/server/foyer.ts",
  "lib/server/converter_child.ts",
  "lib/server/converters.ts",
  "lib/server/launch.ts",
  "dev.ts",
  "tests/**",
  "lib/fresh/**",
  "**_test.ts",
  "**_test.tsx",
];
const FILE_MAX_LINES = 250;
/** Written by a task. */
const GENERATED = "lib/texts/catalog.ts";
const [ROOM_MIN_FILES, ROOM_MAX_FILES] = [3, 20];
/** Rooms that may have fewer files. */
const SMALL_ROOMS: string[] = [];

/** Source text that compares a message, searches it, or looks it up. */
const MESSAGE_READ = new RegExp(
  [
    String.raw`\bmessage\s*[!=]==?(?!=|\s*undefined)`,
    String.raw`[!=]==?\s*([\w.!?]+\.)?message\b`,
    String.raw`\bmessage\??\.(startsWith|endsWith|includes|indexOf|match|matchAll|search|split)\b`,
    String.raw`\.(test|exec|get|has|includes)\(([\w.!?]+\.)?message\b`,
    String.raw`[\w)\]]\[([\w.!?]+\.)?message\]`,
    String.raw`switch \(([\w.!?]+\.)?message\)`,
  ].join("|"),
);

const project = await readProject(new URL("../", import.meta.url));

Deno.test("each file imports only what its room may import", () => {
  ok(project.length > 10, `only ${project.length} source files were found`);
  assertNone(forbiddenImports(project, RULES));
});

Deno.test("each table is written only by the room that owns it", async () => {
  assertNone(within(project, ["lib/**", "routes/**", "main.ts"]).flatMap(foreignWrites));
  const schema = await Deno.readTextFile(new URL("../db/schema.ts", import.meta.url));
  const [, tables] = /interface Database \{([^}]*)\}/.exec(schema)!;
  deepStrictEqual(
    Object.values(TABLE_OWNERS).flat().sort(),
    [...tables.matchAll(/^ {2}(\w+):/gm)].map(([, table]) => table).sort(),
  );
});

Deno.test("writes are found in queries and in SQL, but not in reads and comments", () => {
  const cases: [source: string, problem: string | null][] = [
    ['db.insertInto("users").values(user);', "writes users"],
    ['trx.updateTable("users as u").set(change);', "writes users"],
    ['trx.with("gone", (db) => db.deleteFrom("sessions").returning("id"));', "writes sessions"],
    ['db.mergeInto("users").using("sessions");', "writes users"],
    ["sql`insert into users (id) values (${id})`;", "writes users"],
    ['sql<User>`with a as (delete  from "users") select`;', "writes users"],
    ["sql`select 1; update users set name = ''`;", "writes users"],
    ["sql`truncate table users`;", "writes users"],
    ["sql`delete from ${sql.table(name)}`;", "writes ?"],
    ["db.deleteFrom(table);", "writes ?"],
    ['db.insertInto("events").values(event);', null],
    ['db.selectFrom("users").forUpdate();', null],
    ["sql`select id from users for update skip locked`;", null],
    ["// delete from users\nconst text = 'update users';", null],
  ];
  for (const [source, problem] of cases) {
    const expected = problem === null ? [] : [`lib/activity/a.ts ${problem}`];
    deepStrictEqual(foreignWrites(parseModule("lib/activity/a.ts", source)), expected, source);
  }
});

Deno.test("the WebAuthn library is loaded at the first ceremony, not at the start", async () => {
  const source = await Deno.readTextFile(new URL("../lib/sign_in/passkeys/webauthn.ts", import.meta.url));
  const imports = source.split("\n").filter((line) => line.includes('"@simplewebauthn/'));
  ok(imports.length > 0 && imports.every((line) => line.includes("() => import(")), imports.join("\n"));
});

Deno.test("at the start, Deno reads neither the commands nor the code for apps", async () => {
  const root = new URL("../", import.meta.url);
  const command = new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "lib/server/start.ts"],
    cwd: root,
  });
  const { modules }: { modules: { specifier: string; dependencies?: { code?: { specifier?: string } }[] }[] } = JSON
    .parse(new TextDecoder().decode((await command.output()).stdout));
  const found = new Set([new URL("lib/server/start.ts", root).href]);
  for (const specifier of found) {
    const { dependencies = [] } = modules.find((each) => each.specifier === specifier) ?? {};
    for (const { code } of dependencies) if (code?.specifier !== undefined) found.add(code.specifier);
  }
  ok(found.has(new URL("main.ts", root).href));
  const late =
    /lib\/(command_line\/commands|backup\/archive|authorization_server\/(tokens\/refresh|logout|load_clients))/;
  deepStrictEqual([...found].filter((specifier) => late.test(specifier)), []);
});

Deno.test("there are no import cycles", () => {
  assertNone(findCycles(project).map((cycle) => cycle.join(" -> ")));
});

Deno.test("domain code does not mention requests, responses or cookies", () => {
  const domain = within(project, DOMAIN).filter((module) => !/_test\.tsx?$/.test(module.path));
  assertNone(domain.flatMap(httpMentions));
});

Deno.test("no code outside the catalogs reads a meaning from the message of an error", async () => {
  // The problems of zod's issues are in their messages. Other libraries and the system report some causes only there.
  // Lines of the log have messages too.
  const allowed = ["lib/images/webp_codec.ts", "lib/problem.ts", "lib/readable_log.ts", "lib/storage/disk_errors.ts"];
  const found: string[] = [];
  for (const folder of ["lib", "routes", "islands"]) {
    for await (const [path, source] of sources(new URL(`../${folder}/`, import.meta.url))) {
      if (!path.includes("/lib/fresh/") && MESSAGE_READ.test(source)) found.push(path);
    }
  }
  const expected = allowed.map((file) => decodeURIComponent(new URL(`../${file}`, import.meta.url).pathname));
  deepStrictEqual(found.sort(), expected.sort());
});

Deno.test("the check of messages finds comparisons, searches and look-ups", () => {
  const reads = [
    'if (error.message === "Required") return;',
    'error.message !== "Required"',
    '"Required" === message',
    "rules.get(issue.message)",
    "texts.refusals[message]",
    'message.startsWith("Must")',
    'error.message?.includes("Must")',
    "/Must/.test(error.message)",
    "switch (error.message) {",
  ];
  for (const read of reads) ok(MESSAGE_READ.test(read), read);
  const others = [
    "message === undefined",
    "message !== undefined",
    "log(level, message)",
    "texts.message",
    "[message, details]",
  ];
  for (const other of others) ok(!MESSAGE_READ.test(other), other);
});

Deno.test("a query that skips locked rows runs once", () => {
  // The audit log locks its only row, in a query of its own.
  const unsafe = without(project, ["**_test.ts", "lib/activity/audit_log.ts"])
    .filter(({ names }) => names.has("skipLocked") && !names.has("selectedOnce"));
  assertNone(unsafe.map(({ path }) => `${path} skips locked rows without \`selectedOnce\``));
});

Deno.test("only the entry files and tests read the environment", () => {
  deepStrictEqual(environmentUses(within(project, ["main.ts"])), ["main.ts uses Deno.env"]);
  assertNone(environmentUses(without(project, ENTRIES_AND_TESTS)));
});

Deno.test("only lib/log.ts and the entry files write to the console", () => {
  const others = without(project, [...ENTRIES_AND_TESTS, "lib/log.ts"]);
  assertNone(others.filter(({ names }) => names.has("console")).map(({ path }) => `${path} uses console`));
});

Deno.test(`no file in lib has more than ${FILE_MAX_LINES} lines`, () => {
  const long = without(within(project, ["lib/**"]), ["lib/fresh/**", GENERATED]).filter(({ lineCount }) =>
    lineCount > FILE_MAX_LINES
  );
  assertNone(long.map(({ path, lineCount }) => `${path} has ${lineCount} lines`));
  strictEqual(parseModule("lib/a.ts", "const a = 1;\n\nexport { a };\n").lineCount, 3);
});

Deno.test(`every room in lib and db has ${ROOM_MIN_FILES} to ${ROOM_MAX_FILES} files, not counting tests`, () => {
  const rooms = filesByRoom(project);
  ok(rooms.size > 10, `only ${rooms.size} rooms were found`);
  assertNone(wrongRoomSizes(rooms, SMALL_ROOMS));
});

Deno.test("no file outside of lib/fresh imports the framework by path", () => {
  const others = without(project, ["lib/fresh/**"]);
  assertNone(
    others.flatMap(({ path, imports }) =>
      imports.filter(({ target }) => "file" in target && matches(target.file, "lib/fresh/**"))
        .map(({ specifier }) => `${path} imports "${specifier}"`)
    ),
  );
});

Deno.test("the check of room sizes counts the files of each folder, and ignores tests and migrations", () => {
  const files = [
    "db/a.ts",
    "lib/a.ts",
    "lib/a_test.ts",
    "lib/big/a.tsx",
    "lib/big/b.ts",
    "lib/big/c.ts",
    "lib/big/deep/a.ts",
  ];
  const ignored = ["db/migrations/1.ts", "lib/fresh/tests/a.ts", "routes/a.ts", "lib/big/b_test.tsx"];
  const rooms = filesByRoom([...files, ...ignored].map((path) => parseModule(path, "")));
  deepStrictEqual(Object.fromEntries(rooms), { "db": 1, "lib": 1, "lib/big": 3, "lib/big/deep": 1 });
});

Deno.test("the check of room sizes reports rooms outside the limits, and exceptions that are no longer needed", () => {
  const sizes = { "lib/2": 2, "lib/3": 3, "lib/20": 20, "lib/21": 21, "lib/new": 1, "lib/grown": 3 };
  const reports = wrongRoomSizes(new Map(Object.entries(sizes)), ["lib/new", "lib/grown", "lib/gone"]);
  deepStrictEqual(reports, [
    "lib/2 has 2 files",
    "lib/21 has 21 files",
    "lib/grown has 3 files, so it is no longer an exception",
    "lib/gone does not exist, so it is no longer an exception",
  ]);
});

Deno.test("the parser finds every form of import", () => {
  const forms = {
    'import a from "../errors.ts";': "lib/errors.ts",
    'import type { A } from "./user.ts";': "lib/accounts/user.ts",
    'import "./side_effect.ts";': "lib/accounts/side_effect.ts",
    'export { a } from "../../db/schema.ts";': "db/schema.ts",
    'export * from "./all.ts";': "lib/accounts/all.ts",
    'export type { A } from "./types.ts";': "lib/accounts/types.ts",
    'const a = await import("./later.tsx");': "lib/accounts/later.tsx",
    'type A = import("./inline.ts").A;': "lib/accounts/inline.ts",
    'new Worker(new URL("./worker.ts", import.meta.url));': "lib/accounts/worker.ts",
  };
  for (const [source, file] of Object.entries(forms)) {
    deepStrictEqual(parseModule("lib/accounts/login.ts", source).imports.map(({ target }) => target), [{ file }]);
  }
  const notImports = `// import "./a.ts"\nconst text = 'import "./b.ts"';\nnew URL("./folder/", import.meta.url);`;
  deepStrictEqual(parseModule("lib/accounts/login.ts", notImports).imports, []);
});

Deno.test("the parser reduces a specifier to the name of its package", () => {
  const names = {
    "pg": "pg",
    "npm:pg@8.23.1": "pg",
    "npm:@electric-sql/pglite@0.5.16/live": "@electric-sql/pglite",
    "kysely/migration": "kysely",
    "fresh/runtime": "fresh/runtime",
    "node:assert/strict": "node:assert/strict",
  };
  for (const [specifier, name] of Object.entries(names)) {
    deepStrictEqual(parseModule("main.ts", `import "${specifier}";`).imports[0].target, { package: name });
  }
});

Deno.test("forbidden imports are reported, and allowed ones are not", () => {
  const cases: [path: string, specifier: string, allowed: boolean][] = [
    ["lib/accounts/login.ts", "../http/body.ts", false],
    ["lib/accounts/login.ts", "../access/session.ts", true],
    ["lib/accounts/login.ts", "../sign_in/login.ts", false],
    ["lib/accounts/login.ts", "../mail/delivery.ts", false],
    ["lib/accounts/login.ts", "../../db/connection.ts", false],
    ["lib/accounts/login.ts", "../../db/schema.ts", true],
    ["lib/accounts/login.ts", "fresh", false],
    ["lib/accounts/login.ts", "../../tests/support/database/test_database.ts", false],
    ["lib/accounts/login_test.ts", "../../tests/support/database/test_database.ts", true],
    ["lib/accounts/login_test.ts", "../mail/delivery.ts", false],
    ["lib/mail/delivery.ts", "../storage/disk.ts", false],
    ["lib/uploads/image.ts", "sharp", false],
    ["lib/images/sharp.ts", "sharp", true],
    ["lib/schemas/user.ts", "../duration.ts", true],
    ["lib/schemas/user.ts", "../config/config.ts", false],
    ["routes/index.tsx", "../lib/fresh/mod.ts", false],
    ["routes/index.tsx", "../db/schema.ts", false],
    ["routes/index.tsx", "./(_components)/Card.tsx", true],
    ["routes/index.tsx", "./login.tsx", false],
    ["islands/Form.tsx", "../lib/web/state.ts", false],
    ["db/migrations/0001_create_users.ts", "../schema.ts", false],
    ["db/connection.ts", "./postgres/open_postgres.ts", true],
    ["db/connection.ts", "./postgres/pool.ts", false],
    ["db/connection.ts", "pg", false],
    ["db/connection.ts", "@electric-sql/pglite", false],
    ["db/postgres/pool.ts", "pg", true],
    ["db/postgres/pool.ts", "@electric-sql/pglite", false],
    ["db/postgres/pool.ts", "../embedded/crash.ts", false],
    ["db/embedded/open_embedded.ts", "@electric-sql/pglite", true],
    ["db/embedded/open_embedded.ts", "pg", false],
    ["lib/fresh/mod.ts", "../log.ts", false],
    ["lib/fresh/mod_test.ts", "../../tests/support/database/test_database.ts", false],
    ["tests/browser/login_test.ts", "../../lib/fresh/mod.ts", false],
    ["main.ts", "./db/connection.ts", true],
    ["main.ts", "pg", false],
    ["attic/old.ts", "./older.ts", false],
  ];
  for (const [path, specifier, allowed] of cases) {
    const reports = forbiddenImports([parseModule(path, `import "${specifier}";`)], RULES);
    strictEqual(reports.length, allowed ? 0 : 1, `${path} -> ${specifier}: ${reports}`);
    ok(reports.every((report) => report.startsWith(path)));
  }
  deepStrictEqual(forbiddenImports([parseModule("lib/uploads/image.ts", 'import "sharp";')], RULES), [
    'lib/uploads/image.ts imports "sharp": lib/uploads/** may import only these packages: kysely, node:**, uuid',
  ]);
});

Deno.test("each import cycle is reported once, including cycles of type imports", () => {
  const sources = {
    "lib/a.ts": 'import "./b.ts"; import "./d.ts";',
    "lib/b.ts": 'export * from "./c.ts";',
    "lib/c.ts": 'import type { A } from "./a.ts";',
    "lib/d.ts": 'import "./c.ts"; import "./e.ts";',
    "lib/e.ts": "",
  };
  const modules = Object.entries(sources).map(([path, source]) => parseModule(path, source));
  deepStrictEqual(findCycles(modules), [["lib/a.ts", "lib/b.ts", "lib/c.ts", "lib/a.ts"]]);
  deepStrictEqual(findCycles(modules.filter(({ path }) => path !== "lib/c.ts")), []);
});

Deno.test("HTTP is found in code, but not in comments", () => {
  const mentions = (source: string) => httpMentions(parseModule("lib/accounts/login.ts", source)).length;
  strictEqual(mentions("function login(request: Request) {}"), 1);
  strictEqual(mentions("return new Response(`ok`);"), 1);
  strictEqual(mentions('headers["set-cookie"]'), 1);
  strictEqual(mentions("const sessionCookie = 1;"), 1);
  strictEqual(mentions("/** The Request's cookie. */ export const a = 1; // Response"), 0);
});

function environmentUses(modules: SourceModule[]): string[] {
  return modules.flatMap(({ path, names }) =>
    ["Deno.env", "process.env"].filter((name) => names.has(name)).map((name) => `${path} uses ${name}`)
  );
}

function httpMentions({ path, names, texts }: SourceModule): string[] {
  const words = [...new Set([...names, ...texts])].filter((word) => /^(Request|Response)$|[Cc]ookie/.test(word));
  return words.map((word) => `${path} mentions ${word}`);
}

/** Returns the tables that a file writes though another room owns them. */
function foreignWrites({ path, writes }: SourceModule): string[] {
  const [owner] = Object.keys(TABLE_OWNERS).filter((room) => path.startsWith(`${room}/`));
  const own = ["?", ...TABLE_OWNERS[owner] ?? []].slice(WRITES_TO_SEVERAL_TABLES.includes(path) ? 0 : 1);
  return [...writes].filter((table) => !own.includes(table)).map((table) => `${path} writes ${table}`);
}

/** Returns how many files each room in lib and db has directly in it, without tests and migrations. */
function filesByRoom(modules: SourceModule[]): Map<string, number> {
  const rooms = new Map<string, number>();
  const ignored = ["db/migrations/**", "lib/fresh/tests/**", "**_test.ts", "**_test.tsx"];
  const counted = without(within(modules, ["db/**", "lib/**"]), ignored);
  for (const { path } of counted) {
    const room = path.slice(0, path.lastIndexOf("/"));
    rooms.set(room, (rooms.get(room) ?? 0) + 1);
  }
  return rooms;
}

function wrongRoomSizes(rooms: Map<string, number>, smallRooms: string[]): string[] {
  const wrong = [...rooms].filter(([room, files]) =>
    files > ROOM_MAX_FILES || (files < ROOM_MIN_FILES && !smallRooms.includes(room))
  );
  const outdated = smallRooms.filter((room) => (rooms.get(room) ?? ROOM_MIN_FILES) >= ROOM_MIN_FILES);
  return [
    ...wrong.map(([room, files]) => `${room} has ${files} files`),
    ...outdated.map((room) =>
      `${room} ${rooms.has(room) ? `has ${rooms.get(room)} files` : "does not exist"}, so it is no longer an exception`
    ),
  ];
}

function within(modules: SourceModule[], patterns: string[]): SourceModule[] {
  return modules.filter(({ path }) => patterns.some((pattern) => matches(path, pattern)));
}

function without(modules: SourceModule[], patterns: string[]): SourceModule[] {
  return modules.filter(({ path }) => !patterns.some((pattern) => matches(path, pattern)));
}

function assertNone(problems: string[]): void {
  ok(problems.length === 0, `${problems.length} found:\n${problems.map((line) => `- ${line}`).join("\n")}`);
}
