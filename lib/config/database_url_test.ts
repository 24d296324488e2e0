import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import { certificateFiles, databaseUrlProblem, parseDatabaseUrl, socketPath } from "./database_url.ts";

Deno.test("a socket of PostgreSQL can be written in each way that its programs take", () => {
  const cases: [url: string, path: string | null][] = [
    ["postgres:///foyer?host=/run/postgresql&user=foyer", "/run/postgresql/.s.PGSQL.5432"],
    ["postgres://foyer@/foyer?host=/run/postgresql&port=5433", "/run/postgresql/.s.PGSQL.5433"],
    ["postgresql://foyer@%2Frun%2Fpostgresql/foyer", "/run/postgresql/.s.PGSQL.5432"],
    ["postgres://foyer:pass@db.example.com/foyer", null],
    ["postgres://foyer@db/foyer?host=10.0.0.7", null],
  ];
  for (const [url, path] of cases) strictEqual(socketPath(parseDatabaseUrl(url)!), path, url);
});

Deno.test("a URL with which the service would connect elsewhere, or not at all, is refused with the reason", () => {
  const many = /^names several hosts, which is not supported\. Name one that always leads to the primary/;
  const other =
    /^must be a postgres:\/\/ URL\. In its password, write characters such as # \/ \? @ as %23 %2F %3F %40$/;
  const cases: [url: string, problem: RegExp][] = [
    ...["", "db", "mysql://db/foyer", "host=db user=foyer dbname=foyer", "postgres://foyer:1#2@db/foyer"]
      .map((url): [string, RegExp] => [url, other]),
    ...["a#b", "1/2", "1?2", "1?2&3", "a/b"].map((password): [string, RegExp] => [
      `postgres://foyer:${password}@db/foyer`,
      other,
    ]),
    ...["a:5432,b:5432/foyer", "a,b/foyer", "[::1],[::2]/foyer", "/foyer?host=a,b", "db/foyer?port=5432,5433"]
      .map((rest): [string, RegExp] => [`postgres://foyer:secret@${rest}`, many]),
    ["postgres://foyer@db?dbname=foyer", /the parameter dbname: write the name of the database as the path/],
    ["postgres:///foyer?hostaddr=10.0.0.7", /the parameter hostaddr: write the address as the host/],
    ["postgres:///?service=foyer", /the parameter service: write the host/],
    ["postgres://foyer@db/foyer?passfile=/etc/pgpass", /the parameter passfile: write the password/],
    ["postgres://db/foyer?sslmode=allow", /sslmode=allow\. sslmode must be one of disable, no-verify, prefer, require/],
    ["postgres://db/foyer?sslmode=verify_full", /sslmode=verify_full/],
    ["postgres://db/foyer?ssl=false", /ssl=false\. ssl must be one of true, 1, 0/],
    [
      "postgres://db/foyer?target_session_attrs=standby",
      /target_session_attrs must be one of any, read-write, primary/,
    ],
    ["postgres://db/foyer?client_encoding=LATIN1", /client_encoding=LATIN1/],
  ];
  for (const [url, problem] of cases) {
    match(databaseUrlProblem(url) ?? "accepted", problem, url);
    doesNotMatch(databaseUrlProblem(url)!, /secret/);
  }
});

Deno.test("certificates that the URL names are files", () => {
  const url = parseDatabaseUrl(
    "postgres://db/foyer?sslmode=verify-full&sslrootcert=/etc/ssl/db.pem&sslkey=/etc/ssl/db.key",
  );
  deepStrictEqual(certificateFiles(url!), ["/etc/ssl/db.pem", "/etc/ssl/db.key"]);
});
