import { deepStrictEqual, match } from "node:assert/strict";
import { parseEnv } from "node:util";
import { envText } from "./env_text.ts";

Deno.test("each setting in the file has what it means above it, and an example if it has no value", () => {
  match(
    envText({ PORT: "9000", DATABASE_URL: undefined }),
    /\n# The port to listen on;[^=]*\n# Default: 8000\.\nPORT=9000\n\n# postgres:\/\/[^=]*=[^=]*\.\n# DATABASE_URL=postgres:\S+\n$/,
  );
});

Deno.test("the file has no marks and links of the documentation", () => {
  match(
    envText({ PEOPLE: "all" }),
    /\n# Who is seen [^`[\]]*\n# \(verified\)[^`[\]]* or no one \(off\)\. Default: all\.\n/,
  );
});

Deno.test("a reference to another document is left out with its link", () => {
  match(
    envText({ DATABASE_URL: undefined, AUDIT_LOG: undefined }),
    /private\n# network\. If unset, [^]*path of a\n# file\.\n# AUDIT_LOG/,
  );
});

Deno.test("a value is read as it was, whatever quotes it needs", () => {
  const values = {
    APP_NAME: "Blue # Door",
    EMAIL_FROM: `O'Neil <a@b.example>`,
    APP_URL: `"'`,
    BASE_URL: "http://localhost",
  };
  deepStrictEqual({ ...parseEnv(envText(values)) }, values);
});
