import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { unusedVariables } from "./unused_variables.ts";

const warnings = (names: string[], keys: string[] = []) =>
  unusedVariables({ ...Object.fromEntries(names.map((name) => [name, "x"])), IDP_PROVIDERS: keys.join(" ") });
const subjects = (names: string[], keys: string[] = []) =>
  warnings(names, keys).map((warning) =>
    warning.match(/^(\w+)(?: is not a setting: did you mean (\w+)\?)?/)!.slice(1, 3)
  );

Deno.test("a variable within two letters of a setting causes a warning that names both", () => {
  const cases: [name: string, meant: string | null][] = [
    ["BASE_URLS", "BASE_URL"],
    ["BASEURL", "BASE_URL"],
    ["BASE_ULR", "BASE_URL"],
    ["DATABSE_URL", "DATABASE_URL"],
    ["TRUSTED_PROXYS", "TRUSTED_PROXIES"],
    ["TRUST_PROXIES", "TRUSTED_PROXIES"],
    ["TRUSTS_PROXY", null],
    ["LIMT_LOGI", "LIMIT_LOGIN"],
    ["PORTS", null],
    ["HOSTNAME", null],
    ["BASE_URL", null],
    ["LOGIN_COUNTS", null],
    ["PATH", null],
    ["PGHOST", null],
    ["PGPORT", null],
    ["LANGUAGE", null],
  ];
  for (const [name, meant] of cases) {
    deepStrictEqual(subjects([name]), meant === null ? [] : [[name, meant]], name);
  }
});

Deno.test("the variables of a provider are settings if its key is in IDP_PROVIDERS", () => {
  const names = ["IDP_GOOGLE_CLIENT_ID", "IDP_GOOGLE_CLIENT_SECRET"];
  deepStrictEqual(subjects(names, ["google"]), []);
  deepStrictEqual(subjects(["IDP_GOOGLE_CLIENTID"], ["google"]), [["IDP_GOOGLE_CLIENTID", "IDP_GOOGLE_CLIENT_ID"]]);
  deepStrictEqual(subjects(["IDP_GOGLE_CLIENT_ID"], ["google"]), [["IDP_GOGLE_CLIENT_ID", "IDP_GOOGLE_CLIENT_ID"]]);
  deepStrictEqual(subjects(["IDP_ISSUER", "IDP_CLIENT_ID", "IDP_TRUST_EMAIL", "IDP_SCOPE"]), [[
    "IDP_SCOPE",
    "IDP_SCOPES",
  ]]);
  deepStrictEqual(subjects(["IDP_DEFAULT_NAME"]), [["IDP_DEFAULT_NAME", "IDP_NAME"]]);
});

Deno.test("a misspelled variable of a preset causes a warning even if its key is not in IDP_PROVIDERS", () => {
  deepStrictEqual(subjects(["IDP_GOOGLE_CLIENTID"]), [["IDP_GOOGLE_CLIENTID", "IDP_GOOGLE_CLIENT_ID"]]);
  deepStrictEqual(subjects(["IDP_GITHUB_CLIENT_SECRETS"], ["google"]), [
    ["IDP_GITHUB_CLIENT_SECRETS", "IDP_GITHUB_CLIENT_SECRET"],
  ]);
  deepStrictEqual(subjects(["IDP_GITHUB_CLIENT_ID", "IDP_GOOGLE2_CLIENT_ID"]), [
    ["IDP_GITHUB_CLIENT_ID", undefined],
    ["IDP_GOOGLE2_CLIENT_ID", undefined],
  ]);
  deepStrictEqual(subjects(["IDP_CONTOSO_CLIENTID"], ["contoso"]), [
    ["IDP_CONTOSO_CLIENTID", "IDP_CONTOSO_CLIENT_ID"],
  ]);
});

Deno.test("the variables of a provider whose key is not in IDP_PROVIDERS cause a warning each", () => {
  const names = ["IDP_GITHUB_CLIENT_ID", "IDP_MY_COMPANY_ISSUER"];
  deepStrictEqual(warnings(names, ["google"]), [
    'IDP_GITHUB_CLIENT_ID has no effect: github is not in IDP_PROVIDERS. Example: IDP_PROVIDERS="google github"',
    "IDP_MY_COMPANY_ISSUER has no effect: my_company is not in IDP_PROVIDERS. " +
    'Example: IDP_PROVIDERS="google my_company"',
  ]);
  strictEqual(warnings(["IDP_GITHUB_CLIENT_ID"]).length, 1);
});

Deno.test("the launcher passes on the names of variables that the service may not read", () => {
  strictEqual(unusedVariables({ VARIABLE_NAMES: "HOME BASE_URI" }).length, 1);
});
