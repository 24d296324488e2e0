import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { Secret, TOTP } from "otpauth";
import { createSecret, findStep, stepAt, totpUri } from "./totp.ts";

/** "12345678901234567890" in base32. */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

const at = (seconds: number) => new Date(seconds * 1000);

Deno.test("codes equal the test vectors of RFC 6238", async () => {
  const cases: [seconds: number, code: string][] = [
    [59, "287082"],
    [1111111109, "081804"],
    [1111111111, "050471"],
    [1234567890, "005924"],
    [2000000000, "279037"],
    [20000000000, "353130"],
  ];
  for (const [seconds, code] of cases) {
    strictEqual(await findStep(code, { secret: SECRET, time: at(seconds), after: 0 }), stepAt(at(seconds)), code);
  }
});

Deno.test("codes are those of other software, for any secret", async () => {
  for (let count = 0; count < 20; count++) {
    const secret = createSecret();
    match(secret, /^[A-Z2-7]{32}$/);
    strictEqual(Secret.fromBase32(secret).bytes.length, 20);
    const timestamp = Math.floor(Math.random() * 4e12);
    const code = new TOTP({ secret }).generate({ timestamp });
    const after = stepAt(new Date(timestamp)) - 1;
    strictEqual(await findStep(code, { secret, time: new Date(timestamp - 30_000), after }), after + 1);
  }
});

Deno.test("of two neighboring steps with the same code, the newest is found, and spending it spends both", async () => {
  const [older, newer] = [50_424_280, 50_424_281];
  const find = (step: number, after: number) => findStep("070562", { secret: SECRET, time: at(step * 30), after });
  strictEqual(await find(older, 0), newer);
  strictEqual(await find(newer, 0), newer);
  strictEqual(await find(older - 1, 0), older, "the newer one is still too far ahead");
  for (const step of [older - 1, older, newer, newer + 1]) strictEqual(await find(step, newer), null);
});

Deno.test("anything but six digits is no code", async () => {
  for (const code of ["", "28708", "2870822", "２８７０８２", "28708a", " 287082"]) {
    strictEqual(await findStep(code, { secret: SECRET, time: at(59), after: 0 }), null, code);
  }
});

Deno.test("the URI encodes names so that every app reads them", () => {
  const uri = totpUri({ secret: SECRET, issuer: "My Product: tests", account: "a+b&c@example.com" });
  strictEqual(
    uri,
    `otpauth://totp/My%20Product%3A%20tests:a%2Bb%26c%40example.com?secret=${SECRET}` +
      "&issuer=My%20Product%3A%20tests&algorithm=SHA1&digits=6&period=30",
  );
  deepStrictEqual(new URL(uri).searchParams.get("issuer"), "My Product: tests");
});
