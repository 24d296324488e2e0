import type { ListedObject } from "../../services/object_store.ts";

/** One page of the response of ListObjectsV2. */
export interface ListingPage {
  objects: ListedObject[];
  /** Whether there are more objects after the last one of this page. */
  isTruncated: boolean;
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/**
 * Reads a page that was requested with `encoding-type=url`. In such a page no value contains markup, so the few
 * elements are found without an XML parser.
 *
 * @throws {Error} if the page is not a complete listing. Taking it for an empty one would make all objects look
 * deleted.
 */
export function parseListing(xml: string): ListingPage {
  const isTruncated = valueOf(xml, "IsTruncated");
  if (!/<\/ListBucketResult>\s*$/.test(xml) || isTruncated === undefined) throw malformed(xml);
  const isEncoded = valueOf(xml, "EncodingType") === "url";
  const objects = Array.from(xml.matchAll(/<Contents>(.*?)<\/Contents>/gs), ([, entry]) => {
    const [key, size, time] = ["Key", "Size", "LastModified"].map((name) => valueOf(entry, name));
    const object = { key: decodeKey(key ?? "", isEncoded), sizeBytes: Number(size), modifiedAt: new Date(time ?? "") };
    if (object.key === "" || !size || isNaN(object.modifiedAt.getTime())) throw malformed(entry);
    return object;
  });
  if (isTruncated === "true" && objects.length === 0) throw malformed(xml);
  return { objects, isTruncated: isTruncated === "true" };
}

function valueOf(xml: string, element: string): string | undefined {
  return new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1].trim();
}

/** Servers write a space as `+` or `%20`. Servers that ignore the requested encoding escape the key as XML requires. */
function decodeKey(key: string, isEncoded: boolean): string {
  if (isEncoded) return decodeURIComponent(key.replaceAll("+", " "));
  return key.replaceAll(/&(\w+);/g, (entity, name) => ENTITIES[name] ?? entity);
}

function malformed(xml: string): Error {
  return new Error(`The object store returned a malformed listing: ${xml.slice(0, 200)}`);
}
