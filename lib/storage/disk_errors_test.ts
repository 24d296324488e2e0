import { ok, strictEqual } from "node:assert/strict";
import { AppError } from "../errors/errors.ts";
import { diskError } from "./disk_errors.ts";

Deno.test("diskError turns errors of a full or broken disk into UNAVAILABLE, and no others", () => {
  const texts = [
    "No space left on device (os error 28)",
    "File too large (os error 27)",
    "Input/output error (os error 5)",
    "Read-only file system (os error 30)",
    "Permission denied (os error 13)",
    "No such file or directory (os error 2)",
    "Too many open files (os error 24)",
    "Too many open files in system (os error 23)",
    "Operation not permitted (os error 1)",
    "Disk quota exceeded (os error 122)",
  ];
  for (const text of texts) {
    const error = diskError(new Error(text));
    ok(error instanceof AppError && error.code === "UNAVAILABLE" && error.retryAfterSeconds === 30, text);
  }
  const others = [
    new Error("Not a directory (os error 20)"),
    new Error("x"),
    new AppError("FORBIDDEN", { reason: "origin" }),
    "text",
  ];
  for (const other of others) strictEqual(diskError(other), other);
});
