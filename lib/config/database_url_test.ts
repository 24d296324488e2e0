import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { certificateFiles, parseDatabaseUrl, socketPath } from "./database_url.ts";

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

Deno.test("no other URL is taken for one of PostgreSQL", () => {
  for (const url of ["", "db", "mysql://db/foyer", "postgres://foyer:1#2@db/foyer", "postgres://foyer:a#b@db/foyer"]) {
    strictEqual(parseDatabaseUrl(url), null, url);
  }
});

Deno.test("certificates that the URL names are files", () => {
  const url = parseDatabaseUrl(
    "postgres://db/foyer?sslmode=verify-full&sslrootcert=/etc/ssl/db.pem&sslkey=/etc/ssl/db.key",
  );
  deepStrictEqual(certificateFiles(url!), ["/etc/ssl/db.pem", "/etc/ssl/db.key"]);
});
