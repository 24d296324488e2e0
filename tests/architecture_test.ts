import { deepStrictEqual, ok } from "node:assert/strict";
import { findCycles, findRoomCycles, readProject, type SourceModule } from "./support/source/import_graph.ts";
import { sources } from "./support/source/sources.ts";
import { forbiddenImports, type ImportRule, matches } from "./support/source/import_rules.ts";
import { MIGRATION_NAMES } from "../db/migrate.ts";
import { TABLES } from "../db/schema.ts";
import { TABLE_OWNERS } from "./support/source/table_owners.ts";

const LEAVES = [
  "lib/*.ts",
  ...["brand", "bytes", "config", "errors", "log", "metrics", "network", "services", "turns"].map((room) =>
    `lib/${room}/**`
  ),
];
/** The tables of each room, and the file that joins them. */
const TABLES_OF_ROOMS = ["lib/**/tables.ts", "db/schema.ts"];
/**
 * What rooms declare about their subjects. These files are a layer of their own below db: everyone may read them, and
 * they import only leaves and one another.
 */
const DECLARATIONS = [
  "lib/schemas/**",
  "lib/**/schema.ts",
  "lib/**/export_schema.ts",
  "lib/**/rules.ts",
  "lib/**/kinds.ts",
  ...TABLES_OF_ROOMS,
];
/** The rooms of rules that do not depend on HTTP, from the bottom up. Each may import those before it. */
const DOMAIN_ROOMS = [
  "activity",
  "limits",
  "users",
  "clients",
  "groups",
  "grants",
  "mail",
  "uploads",
  "access",
  "accounts",
  "sign_in",
  "authorization_server",
  "webhooks",
  "installation",
  "admin",
];
const DOMAIN = DOMAIN_ROOMS.map((room) => `lib/${room}/**`);

/** The part of lib/images that the launcher needs to lend converters. It loads no packages. */
const LENDING = [
  "lib/images/conversion_requests.ts",
  "lib/images/converter_folder.ts",
  "lib/images/converter_pool.ts",
  "lib/images/messages.ts",
];

const DOMAIN_PACKAGES = ["kysely", "node:**", "uuid"];

/** The part of lib/passwords that checks new passwords. The service that knows breached ones is an adapter. */
const NEW_PASSWORD = "lib/passwords/new_password.ts";

const WEB = [
  ...DOMAIN,
  ...LEAVES,
  ...DECLARATIONS,
  "db/at_commit.ts",
  "db/database_errors.ts",
  "db/schema.ts",
  "fresh.config.ts",
  "lib/api/**",
  "lib/http/**",
  "lib/texts/**",
  "lib/ui/**",
  "lib/web/**",
];
const WEB_PACKAGES = ["cookie", "fresh", "fresh/runtime", "node:**", "preact", "zod"];

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
      "lib/config/registered_client.ts",
      "lib/config/passwords_setting.ts",
      "lib/config/sign_in_domains.ts",
      "lib/config/uploads_setting.ts",
      "lib/http/**",
      ...DECLARATIONS,
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
    files: ["islands/**", "lib/browser/**", "lib/errors/errors.ts", ...DECLARATIONS, "lib/texts/**", "lib/ui/**"],
    packages: ["@preact/signals", "fresh/runtime", "preact"],
  },
  {
    room: "lib/browser/**",
    files: ["lib/browser/**", "lib/errors/errors.ts", ...DECLARATIONS, "lib/texts/**", "lib/ui/**"],
    packages: ["@preact/signals", "preact"],
  },
  {
    room: "lib/ui/**",
    files: ["lib/brand/*.ts", "lib/errors/errors.ts", ...DECLARATIONS, "lib/texts/**", "lib/ui/**"],
    packages: ["fresh/runtime", "preact", "preact/jsx-runtime", "preact-render-to-string"],
  },
  {
    // Only the parser loads the library for arguments: the service, which runs commands too, does not need it.
    room: "lib/command_line/parse.ts",
    files: ["lib/config/command_name.ts", "lib/errors/errors.ts", "lib/command_line/**", "lib/http/error_english.ts"],
    packages: ["commander"],
  },
  {
    room: "lib/command_line/**",
    files: [
      ...DOMAIN,
      ...LEAVES,
      "lib/command_line/**",
      "lib/http/**",
      ...DECLARATIONS,
      "lib/queue/**",
      "lib/texts/**",
    ],
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
      "lib/installation/backup/database_copy.ts",
      "lib/command_line/**",
      "lib/server/**",
      "lib/start/**",
      "main.ts",
    ],
    packages: [],
  },
  {
    // And this one, so that a database that cannot be opened does not keep the other parts from being checked.
    room: "lib/server/check_parts.ts",
    files: [
      ...LEAVES,
      "db/connection.ts",
      "db/database_handle.ts",
      "lib/mail/transports/open_transport.ts",
      "lib/start/**",
      "lib/storage/open_store.ts",
    ],
    packages: ["node:**"],
  },
  {
    // And this one, whose database is thrown away.
    room: "lib/server/rehearsal/**",
    files: [
      ...LEAVES,
      "db/connection.ts",
      "lib/installation/rehearsal/*",
      "lib/server/rehearsal/**",
      "lib/start/**",
      "lib/storage/open_store.ts",
    ],
    packages: ["node:**"],
  },
  {
    // Only start.ts, migrate.ts and foyer.ts import main.ts.
    room: "lib/server/**",
    files: [
      ...LEAVES,
      ...DOMAIN,
      ...LENDING,
      "db/database_errors.ts",
      "db/database_handle.ts",
      "db/schema.ts",
      "lib/command_line/**",
      "lib/http/**",
      "lib/jobs/**",
      ...DECLARATIONS,
      "lib/server/**",
      "lib/start/**",
      "lib/web/**",
      "main.ts",
    ],
    packages: ["kysely", "node:**"],
  },
  {
    // What happens before there are services.
    room: "lib/start/**",
    files: [...LEAVES, "lib/clients/load_clients.ts", "lib/start/**", "lib/texts/languages.ts"],
    packages: ["node:**"],
  },
  {
    room: "lib/release/**",
    files: [
      "lib/api/document.ts",
      "lib/client/operations.ts",
      "lib/config/command_name.ts",
      "lib/config/config.ts",
      "lib/release/**",
      "lib/server/app_arguments.ts",
      "lib/version.ts",
    ],
    packages: ["esbuild", "modern-tar", "node:**", "openapi-typescript", "typescript"],
  },
  // Products run it, without the rest.
  { room: "lib/client/operations.ts", files: ["lib/schemas/scopes.ts"], packages: [] },
  { room: "lib/client/test.ts", files: ["lib/client/**"], packages: ["node:**"] },
  { room: "lib/client/**", files: ["lib/client/**"], packages: ["jose"] },
  // It owns a table, whose rows it seals.
  { room: "lib/web/idempotency/**", files: [...WEB, "lib/crypto/**"], packages: [...WEB_PACKAGES, "kysely"] },
  { room: "lib/web/**", files: WEB, packages: WEB_PACKAGES, testFiles: ["lib/crypto/**", "tests/support/**"] },
  // HTTP that knows no account.
  { room: "lib/http/**", files: [...LEAVES, "lib/http/**"], packages: ["cookie", "ipaddr.js", "node:**", "zod"] },
  ...DECLARATIONS.map((room) => ({
    room,
    files: [
      ...DECLARATIONS,
      "lib/config/registered_client.ts",
      "lib/config/uploads_setting.ts",
      "lib/duration.ts",
      "lib/errors/**",
    ],
    packages: ["kysely", "zod"],
  })),
  {
    room: "lib/texts/**",
    files: [
      "lib/brand/brand.ts",
      "lib/duration.ts",
      "lib/errors/errors.ts",
      "lib/errors/problem.ts",
      ...DECLARATIONS,
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
      ...DECLARATIONS,
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
      ...DECLARATIONS,
      "lib/texts/**",
    ],
    packages: [],
  },
  // It restores backups of earlier releases by migrating them, and reads and writes the files itself.
  {
    ...domainRule("lib/installation", [...DOMAIN, "db/migrate.ts", "db/read_only.ts"]),
    packages: [...DOMAIN_PACKAGES, "modern-tar", "zod"],
  },
  adapterRule("lib/mail/transports", {
    files: [...LEAVES, "lib/queue/delivery_error.ts", "lib/queue/retry.ts"],
    packages: ["nodemailer"],
  }),
  adapterRule("lib/webhooks/sender.ts", {
    files: [...LEAVES, ...TABLES_OF_ROOMS, "lib/queue/retry.ts", "lib/webhooks/webhook_error.ts"],
  }),
  ...DOMAIN_ROOMS.map((room, index) => ({
    ...domainRule(`lib/${room}`, [...DOMAIN.slice(0, index), NEW_PASSWORD]),
    ...(room === "sign_in" && { packages: [...DOMAIN_PACKAGES, "uqr"] }),
    ...(room === "clients" && { packages: [...DOMAIN_PACKAGES, "zod"] }),
    ...(room === "authorization_server" && { packages: [...DOMAIN_PACKAGES, "jose", "zod"] }),
  })),
  // Repeating work of every room.
  domainRule("lib/jobs", [...DOMAIN]),
  { room: "lib/queue/**", files: [...LEAVES, "lib/queue/**"], packages: ["node:**"] },
  adapterRule("lib/images", { packages: ["imagescript", "sharp"] }),
  adapterRule("lib/oauth", { packages: ["oauth4webapi"] }),
  adapterRule("lib/storage", { packages: ["aws4fetch"] }),
  { room: "lib/crypto/bcrypt_worker.ts", files: [], packages: ["bcryptjs"] },
  { room: "lib/crypto/**", files: [...LEAVES, "lib/crypto/**"], packages: ["node:**"] },
  ...LEAVES.map((room) => ({
    room,
    files: [...LEAVES, ...TABLES_OF_ROOMS, "lib/texts/texts.ts"],
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
      ...DECLARATIONS,
      "db/after_commit.ts",
      "db/at_commit.ts",
      "db/database_errors.ts",
      "db/prepared_query.ts",
      "db/row_pages.ts",
      "db/selected_once.ts",
      "db/schema.ts",
      "lib/crypto/**",
      "lib/queue/**",
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
  "lib/installation/backup/earlier_schema.ts",
  "lib/installation/backup/restored_rows.ts",
  "lib/jobs/expired_rows.ts",
  "lib/mail/links/address_token.ts",
  "lib/mail/links/emailed_token.ts",
];

const ENTRIES_AND_TESTS = [
  "main.ts",
  "lib/client/test.ts", // for the tests of products
  "lib/release/package.ts",
  "lib/release/release.ts",
  "lib/release/server_command.ts",
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

Deno.test("each table is written only by the room that declares it", () => {
  assertNone(within(project, ["lib/**", "routes/**", "main.ts"]).flatMap(foreignWrites));
  deepStrictEqual(Object.values(TABLE_OWNERS).flat().sort(), Object.keys(TABLES).sort());
});

Deno.test("each migration is in the list, in the order of the names", () => {
  const folder = "db/migrations/";
  const files = project.map(({ path }) => path).filter((path) => path.startsWith(folder));
  deepStrictEqual(MIGRATION_NAMES, files.map((path) => path.slice(folder.length).replace(".ts", "")).sort());
});

Deno.test("the WebAuthn library is loaded at the first ceremony, not at the start", async () => {
  const source = await Deno.readTextFile(new URL("../lib/sign_in/passkeys/webauthn.ts", import.meta.url));
  const imports = source.split("\n").filter((line) => line.includes('"@simplewebauthn/'));
  ok(imports.length > 0 && imports.every((line) => line.includes("() => import(")), imports.join("\n"));
});

Deno.test("there are no import cycles", () => {
  assertNone(findCycles(project).map((cycle) => cycle.join(" -> ")));
});

Deno.test("no rooms import each other in a circle", () => {
  const isDeclaration = (path: string) => DECLARATIONS.some((pattern) => matches(path, pattern));
  const circles = findRoomCycles(without(project, ["tests/**", "**_test.ts", "**_test.tsx"]), isDeclaration);
  assertNone(circles.map((imports) => imports.join(", ")));
});

Deno.test("domain code does not mention requests, responses or cookies", () => {
  const domain = without(within(project, DOMAIN), ["**_test.ts", "lib/mail/transports/**"]);
  assertNone(domain.flatMap(httpMentions));
});

Deno.test("no code outside the catalogs reads a meaning from the message of an error", async () => {
  // The problems of zod's issues are in their messages. Other libraries and the system report some causes only there.
  // Lines of the log have messages too.
  const allowed = [
    "lib/images/webp_codec.ts",
    "lib/errors/problem.ts",
    "lib/log/readable_log.ts",
    "lib/storage/disk_errors.ts",
  ];
  const found: string[] = [];
  for (const folder of ["lib", "routes", "islands"]) {
    for await (const [path, source] of sources(new URL(`../${folder}/`, import.meta.url))) {
      if (!path.includes("/lib/fresh/") && MESSAGE_READ.test(source)) found.push(path);
    }
  }
  const expected = allowed.map((file) => decodeURIComponent(new URL(`../${file}`, import.meta.url).pathname));
  deepStrictEqual(found.sort(), expected.sort());
});

Deno.test("no comment is wider than 120 columns", async () => {
  const wide: string[] = [];
  for (const folder of ["db", "islands", "lib", "routes", "tests"]) {
    for await (const [path, source] of sources(new URL(`../${folder}/`, import.meta.url))) {
      if (path.includes("/db/migrations/")) continue; // frozen
      wide.push(...source.split("\n").filter((line) => line.length > 120 && /^ *(\/\/|\/?\*)/.test(line)));
    }
  }
  deepStrictEqual(wide, []);
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

Deno.test("only lib/log/log.ts and the entry files write to the console", () => {
  const others = without(project, [...ENTRIES_AND_TESTS, "lib/log/log.ts"]);
  assertNone(others.filter(({ names }) => names.has("console")).map(({ path }) => `${path} uses console`));
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

function within(modules: SourceModule[], patterns: string[]): SourceModule[] {
  return modules.filter(({ path }) => patterns.some((pattern) => matches(path, pattern)));
}

function without(modules: SourceModule[], patterns: string[]): SourceModule[] {
  return modules.filter(({ path }) => !patterns.some((pattern) => matches(path, pattern)));
}

function assertNone(problems: string[]): void {
  ok(problems.length === 0, `${problems.length} found:\n${problems.map((line) => `- ${line}`).join("\n")}`);
}
