import { deepStrictEqual, doesNotMatch, match, notStrictEqual, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import {
  FILENAME_MAX_LENGTH,
  imageKey,
  mayBePrivate,
  objectKeys,
  partsOfKey,
  sanitizeFilename,
  uploadKey,
  visibilityOf,
} from "./object_key.ts";

Deno.test("sanitizeFilename keeps only letters, digits, dots, hyphens and underscores", () => {
  const cases = [
    ["photo-1.JPG", "photo-1.JPG"],
    ["my photo (1).png", "my_photo__1_.png"],
    ["../../etc/passwd", ".._.._etc_passwd"],
    ["a/b\\c", "a_b_c"],
    ["été_😀.gif", "_t___.gif"],
    ["\ud800a\0\r\n", "_a___"],
    ["", "_"],
    [".", "_"],
    ["...", "___"],
    [".".repeat(300), "_".repeat(FILENAME_MAX_LENGTH)],
    [".htaccess", ".htaccess"],
    ["a".repeat(100), "a".repeat(100)],
    ["a".repeat(101), "a".repeat(100)],
    ["a".repeat(300) + ".jpeg", "a".repeat(95) + ".jpeg"],
    ["a." + "b".repeat(300), "a." + "b".repeat(98)],
  ];
  for (const [name, sanitized] of cases) strictEqual(sanitizeFilename(name), sanitized);
});

Deno.test("sanitizeFilename turns any text into a safe file name", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 300 }), (name) => {
    const sanitized = sanitizeFilename(name);
    match(sanitized, /^[A-Za-z0-9._-]{1,100}$/);
    doesNotMatch(sanitized, /^\.+$/);
    strictEqual(sanitizeFilename(sanitized), sanitized);
  }));
});

Deno.test("imageKey never returns the same key twice", () => {
  match(imageKey("avatar"), /^images\/avatar\/[0-9a-f-]{36}\.webp$/);
  notStrictEqual(imageKey("post"), imageKey("post"));
});

Deno.test("the keys of an image include those of its smaller copies", () => {
  for (const [purpose, sides] of [["avatar", [128, 512]], ["post", [640, 1280]]] as const) {
    const key = imageKey(purpose);
    deepStrictEqual(objectKeys(key), [key, ...sides.map((side) => key.replace(".webp", `-${side}.webp`))]);
  }
  for (const key of ["uploads/u/1-a.webp", objectKeys(imageKey("avatar"))[1], "images/avatar/a.webp"]) {
    deepStrictEqual(objectKeys(key), [key]);
  }
});

Deno.test("our keys name the owners of their objects, and other keys name no one", () => {
  for (const visibility of ["public", "private"] as const) {
    const file = uploadKey("u1", "my notes.txt", visibility);
    deepStrictEqual(partsOfKey(file), { purpose: "file", originalKey: file, filename: "my_notes.txt", userId: "u1" });
    strictEqual(partsOfKey(file + "/x"), null);
  }
  const image = imageKey("avatar");
  for (const key of objectKeys(image)) {
    const filename = image.slice("images/avatar/".length);
    deepStrictEqual(partsOfKey(key), { purpose: "avatar", originalKey: image, filename, userId: null });
  }
  const foreign = ["images/logo.png", "images/avatar/a.webp", "uploads/readme.txt", "uploads/u1/notes.txt"];
  for (const key of [...foreign, "private/readme.txt", "private/u1/notes.txt", `Private/u1/${crypto.randomUUID()}-a`]) {
    strictEqual(partsOfKey(key), null, key);
  }
});

Deno.test("the key of an object shows its visibility", () => {
  strictEqual(visibilityOf(uploadKey("u1", "a.txt", "private")), "private");
  strictEqual(visibilityOf(uploadKey("u1", "private/a.txt", "public")), "public");
  for (const purpose of ["avatar", "post"] as const) strictEqual(visibilityOf(imageKey(purpose)), "public");
});

Deno.test("no spelling of a private key passes as a public one, and public keys do", () => {
  const key = uploadKey("u1", "a.txt", "private");
  const spelled = [key.toUpperCase(), key.replace("/", "\\"), key.replace("/", "%2F"), `%70${key.slice(1)}`];
  for (const spelling of [key, ...spelled, `/${key}`, `./${key}`, `uploads/../${key}`, "private", "a\\private\\b"]) {
    strictEqual(mayBePrivate(spelling), true, spelling);
  }
  for (
    const open of [uploadKey("u1", "private.txt", "public"), uploadKey("private1", "a", "public"), imageKey("post")]
  ) {
    strictEqual(mayBePrivate(open), false, open);
  }
});
