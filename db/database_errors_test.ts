import { strictEqual } from "node:assert/strict";
import { isDatabaseUnavailable, isTransactionConflict } from "./database_errors.ts";

const failure = (code: string, more = {}) => Object.assign(new Error("failed"), { code, ...more });

Deno.test("an unreachable or overloaded database counts as unavailable, a wrong query does not", () => {
  const temporary = [
    "08006",
    "28000",
    "28P01",
    "3D000",
    "55000",
    "53100",
    "53300",
    "57P01",
    "57P03",
    "58030",
    "57014",
    "25006",
    "25P03",
    "55P03",
    "40001",
    "40P01",
  ];
  const sockets = ["ECONNREFUSED", "ECONNRESET", "EHOSTUNREACH", "ENETUNREACH", "EPIPE", "ETIMEDOUT", "ENOTFOUND"];
  sockets.push("EADDRNOTAVAIL", "EAI_AGAIN");
  const certificates = ["CERT_HAS_EXPIRED", "DEPTH_ZERO_SELF_SIGNED_CERT", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"];
  certificates.push("SELF_SIGNED_CERT_IN_CHAIN", "ERR_TLS_CERT_ALTNAME_INVALID");
  for (const code of [...temporary, ...sockets, ...certificates]) {
    strictEqual(isDatabaseUnavailable(failure(code)), true, code);
  }
  for (const code of ["", "23505", "42P01", "22021", "25P02", "ENOENT", "x08006"]) {
    strictEqual(isDatabaseUnavailable(failure(code)), false, code);
  }
  strictEqual(isDatabaseUnavailable(failure("ENOENT", { syscall: "connect" })), true, "no socket file");
  const lockedOut = new Error('permission denied for database "foyer"');
  strictEqual(isDatabaseUnavailable(Object.assign(lockedOut, { code: "42501" })), true, "no privilege to connect");
  strictEqual(isDatabaseUnavailable(failure("42501")), false, "no privilege for a table");
  strictEqual(isDatabaseUnavailable(new AggregateError([failure("ECONNREFUSED")])), true, "all addresses refused");
});

Deno.test("only a conflict with another transaction or an outdated plan is worth a retry", () => {
  for (const code of ["40001", "40P01"]) strictEqual(isTransactionConflict(failure(code)), true, code);
  for (const code of ["40002", "23505", "0A000"]) strictEqual(isTransactionConflict(failure(code)), false, code);
  strictEqual(isTransactionConflict(failure("0A000", { routine: "RevalidateCachedQuery" })), true, "an outdated plan");
});
