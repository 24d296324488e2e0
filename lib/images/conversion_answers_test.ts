import { deepStrictEqual, doesNotThrow, throws } from "node:assert/strict";
import type { ErrorDataOf } from "../errors/errors.ts";
import { requireDecoded, requireImages } from "./conversion_answers.ts";

const WEBP = new TextEncoder().encode("RIFF0000WEBPVP8 ");
const SIZE = { width: 2, height: 1 };

Deno.test("the images of an answer are returned", () => {
  doesNotThrow(() => requireDecoded({ value: { decoded: true }, parts: [] }));
  const answer = { value: { images: [SIZE, { width: 1, height: 1 }] }, parts: [WEBP, WEBP] };
  const variants = [{ bytes: WEBP, width: 1, height: 1 }];
  deepStrictEqual(requireImages(answer), { bytes: WEBP, ...SIZE, variants });
});

Deno.test("an image that the converter refuses is invalid", () => {
  const cases: [problem: unknown, data: ErrorDataOf<"IMAGE_INVALID">][] = [
    [{ reason: "colors" }, { reason: "colors" }],
    [{ reason: "type", contentType: "image/gif" }, { reason: "type", contentType: "image/gif" }],
    [{ reason: "scans", max: 100 }, { reason: "scans", max: 100 }],
    [{ reason: "scans", max: "100" }, { reason: "undecodable" }],
    [{ reason: "type" }, { reason: "undecodable" }],
    [{ reason: "invented" }, { reason: "undecodable" }],
    ["no problem", { reason: "undecodable" }],
  ];
  for (const [problem, data] of cases) {
    for (const read of [requireDecoded, requireImages]) {
      throws(() => read({ value: { invalid: problem }, parts: [] }), { code: "IMAGE_INVALID", data });
    }
  }
});

Deno.test("a converter that has been taken over cannot pass off anything else as an image", () => {
  const html = new TextEncoder().encode("<html><body></body></html>");
  const answers: [value: unknown, parts: Uint8Array<ArrayBuffer>[]][] = [
    [{ images: [] }, []],
    [{ images: [SIZE] }, []],
    [{ images: [SIZE] }, [WEBP, WEBP]],
    [{ images: [SIZE] }, [html]],
    [{ images: [{ width: 0, height: 1 }] }, [WEBP]],
    [{ images: [{ width: 1, height: 16_384 }] }, [WEBP]],
    [{ images: [{ width: 1.5, height: "1" }] }, [WEBP]],
    [{ images: "images" }, [WEBP]],
    [{ decoded: true }, []],
    [{ failed: "no memory" }, []],
    [null, []],
  ];
  for (const [value, parts] of answers) {
    throws(() => requireImages({ value, parts }), { name: "Error" }, JSON.stringify(value));
  }
  throws(() => requireDecoded({ value: { images: [SIZE] }, parts: [WEBP] }), { name: "Error" });
});
