import { deepStrictEqual } from "node:assert/strict";
import { databaseWarnings, transportProblems, wholeDomainWarnings } from "./transport.ts";

const production = { APP_ENV: "production", EMAIL_API_URL: "https://mail.example" } as const;
const HTTPS_ONLY = ["http://mail.example", "http://10.0.0.5", "http://localhost:9000"];

Deno.test("production refuses http where passwords' hashes, emails and objects pass", () => {
  for (const name of ["EMAIL_API_URL", "BREACHED_PASSWORDS_URL", "S3_PUBLIC_URL"] as const) {
    for (const address of HTTPS_ONLY) {
      deepStrictEqual(transportProblems({ ...production, [name]: address }), [`${name}: must be https in production`]);
      deepStrictEqual(transportProblems({ ...production, APP_ENV: "development", [name]: address }), []);
    }
    deepStrictEqual(transportProblems({ ...production, [name]: "https://a.example" }), []);
  }
});

Deno.test("production reaches an object store without TLS only in a private network", () => {
  const cases: [endpoint: string, isAccepted: boolean][] = [
    ["https://s3.example", true],
    ["http://s3.example", false],
    ["http://s3", true],
    ["http://minio.internal:9000", true],
    ["http://localhost:9000", true],
    ["http://10.1.2.3", true],
    ["http://172.16.0.1", true],
    ["http://172.32.0.1", false],
    ["http://192.168.1.1", true],
    ["http://8.8.8.8", false],
    ["http://[::1]:9000", true],
    ["http://[fd00::1]", true],
    ["http://[2001:4860::1]", false],
    ["http://[::ffff:8.8.8.8]", false],
    ["http://localhost.example", false],
  ];
  for (const [S3_ENDPOINT, isAccepted] of cases) {
    deepStrictEqual(transportProblems({ ...production, S3_ENDPOINT }).length === 0, isAccepted, S3_ENDPOINT);
  }
});

Deno.test("production warns of a database that it reaches without TLS outside of a private network", () => {
  const cases: [url: string, warns: boolean][] = [
    ["postgres://foyer@db.example/foyer", true],
    ["postgres://foyer@db.example/foyer?sslmode=disable", true],
    ["postgres://foyer@db.example/foyer?sslmode=prefer", false],
    ["postgres://foyer@db.example/foyer?ssl=true", false],
    ["postgres://foyer@db.example/foyer?ssl=0", true],
    ["postgres://foyer@db/foyer?host=db.example", true],
    ["postgres://foyer@db.example/foyer?sslmode=require", false],
    ["postgres://foyer@db.example/foyer?sslmode=verify-full", false],
    ["postgres://foyer@db/foyer", false],
    ["postgres://foyer@10.0.0.2:5432/foyer", false],
    ["postgres:///foyer?host=/run/postgresql", false],
    ["postgres://foyer@/foyer?host=/run/db.example", false],
  ];
  for (const [databaseUrl, warns] of cases) {
    deepStrictEqual(databaseWarnings({ isProduction: true, databaseUrl }).length, warns ? 1 : 0, databaseUrl);
    deepStrictEqual(databaseWarnings({ isProduction: false, databaseUrl }), [], databaseUrl);
  }
});

Deno.test("parameters of DATABASE_URL that change nothing are warnings, which name them", () => {
  const databaseUrl =
    "postgres://foyer@db/foyer?sslmode=require&channel_binding=require&connect_timeout=5&options=-c%20a=b";
  deepStrictEqual(databaseWarnings({ isProduction: false, databaseUrl }), [
    "DATABASE_URL: the parameter channel_binding changes nothing here",
    "DATABASE_URL: the parameter connect_timeout changes nothing here",
  ]);
});

Deno.test("a service at a whole domain is warned of what its header does to everything below it", () => {
  const cases: [baseUrl: string, isWarned: boolean][] = [
    ["https://example.com", true],
    ["https://example.co.uk", true],
    ["https://accounts.example.com", false],
    ["https://accounts.example.de", false],
    ["https://accounts.example.co.uk", false],
    ["http://example.com", false],
    ["https://localhost", false],
    ["https://192.0.2.7", false],
    ["https://[2001:db8::1]", false],
  ];
  for (const [baseUrl, isWarned] of cases) {
    deepStrictEqual(wholeDomainWarnings({ isProduction: true, baseUrl }).length, Number(isWarned), baseUrl);
    deepStrictEqual(wholeDomainWarnings({ isProduction: false, baseUrl }), [], baseUrl);
  }
});
