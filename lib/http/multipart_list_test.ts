import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { stageInMemory } from "../../tests/support/uploads/staged_in_memory.ts";
import { MULTIPART_MAX_LISTED, type MultipartForm, parseMultipart } from "./multipart.ts";

/** Returns the reason for which a form is refused. */
const refusalOf = (sent: Promise<MultipartForm>) => sent.then(() => "accepted", ({ data }) => data.reason);

Deno.test("parseMultipart reads several files of one field if it is a list", async () => {
  const list = { name: "file", maxFiles: 3 };
  const part = (name: string, file: string) => [
    "--b",
    `Content-Disposition: form-data; name="${name}"; filename="${file}"`,
    "",
    file,
  ];
  const sendList = (...parts: string[][]) => {
    const [body, headers] = [[...parts.flat(), "--b--"].join("\r\n"), {
      "content-type": "multipart/form-data; boundary=b",
    }];
    return parseMultipart(new Request("http://localhost/", { method: "POST", body, headers }), {
      maxFileBytes: 10_000,
      stage: stageInMemory,
      list,
    });
  };
  const namesIn = ({ file }: MultipartForm) => Array.isArray(file) ? file.map(({ name }) => name) : file;
  strictEqual(namesIn(await sendList(part("file", ""))), undefined);
  deepStrictEqual(namesIn(await sendList(part("file", "a"))), ["a"]);
  deepStrictEqual(namesIn(await sendList(...["a", "", "b"].map((name) => part("file", name)))), ["a", "b"]);
  const many = (count: number) => sendList(...Array.from({ length: count }, () => part("file", "a")));
  deepStrictEqual(namesIn(await many(3)), ["a", "a", "a"]);
  strictEqual(await refusalOf(many(4)), "fields");
  strictEqual(await refusalOf(many(MULTIPART_MAX_LISTED)), "fields");
  strictEqual(await refusalOf(many(MULTIPART_MAX_LISTED + 2)), "parts");
  strictEqual(await refusalOf(sendList(part("other", "a"), part("other", "b"))), "fields");
});
