import { deepStrictEqual, throws } from "node:assert/strict";
import { parseListing } from "./listing.ts";

const TIME = "2026-03-01T12:00:00.000Z";

function entry(key: string, sizeBytes = 5): string {
  return `<Contents><Key>${key}</Key><LastModified>${TIME}</LastModified><ETag>"a"</ETag><Size>${sizeBytes}</Size></Contents>`;
}

function page(content: string, { isTruncated = "false", encoding = "<EncodingType>url</EncodingType>" } = {}): string {
  return `<?xml version='1.0'?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Prefix/>${encoding}` +
    `<IsTruncated>${isTruncated}</IsTruncated>${content}</ListBucketResult>\n`;
}

Deno.test("parseListing returns the objects of a page", () => {
  const object = (key: string, sizeBytes = 5) => ({ key, sizeBytes, modifiedAt: new Date(TIME) });
  deepStrictEqual(parseListing(page("")), { objects: [], isTruncated: false });
  deepStrictEqual(
    parseListing(page(entry("a/b%20c+d%2Be%26%C3%A9") + entry("b", 5_368_709_120), { isTruncated: "true" })),
    { objects: [object("a/b c d+e&é"), object("b", 5_368_709_120)], isTruncated: true },
  );
  deepStrictEqual(
    parseListing(page(entry("a&amp;b%20+"), { encoding: "" })),
    { objects: [object("a&b%20+")], isTruncated: false },
  );
});

Deno.test("parseListing never takes anything else for a listing", () => {
  const cases = [
    "",
    "<html>Welcome</html>",
    "<Error><Code>SlowDown</Code></Error>",
    page("").slice(0, -10),
    page("", { isTruncated: "true" }),
    page(entry("")),
    page(entry("a").replace("<Size>5</Size>", "")),
    page(entry("a").replace(TIME, "yesterday")),
    page("").replace("<IsTruncated>false</IsTruncated>", ""),
  ];
  for (const xml of cases) throws(() => parseListing(xml), /malformed listing/, xml);
});
