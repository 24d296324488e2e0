import { hash } from "node:crypto";

/** 200 with a JSON body. */
export function ok(body: unknown, headers: Record<string, string> = {}): Response {
  const response = Response.json(body);
  // Not in the constructor, which takes ten times as long with headers.
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

/** 200 with one page of a list. `Link` leads to the next page. Source: RFC 8288. */
export function okList(url: URL, { data, nextCursor }: { data: unknown[]; nextCursor: string | null }): Response {
  return ok({ data, nextCursor }, nextCursor === null ? {} : { Link: `<${withCursor(url, nextCursor)}>; rel="next"` });
}

function withCursor({ origin, pathname, search }: URL, cursor: string): string {
  const parameters = new URLSearchParams(search);
  parameters.set("cursor", cursor);
  return `${origin}${pathname}?${parameters}`;
}

/** The entity tag of a view. It changes with anything in the view. */
export function entityTag(view: unknown): string {
  return `"${hash("sha256", JSON.stringify(view), "base64url")}"`;
}

/**
 * 200 with a JSON body and the tag of the view in it, or 304 if the client has this version. Source: RFC 9110, 13.1.2.
 */
export function okOrNotModified({ headers }: Request, body: unknown, view: unknown): Response {
  const etag = entityTag(view);
  return isKnown(headers, etag)
    ? new Response(null, { status: 304, headers: { ETag: etag } })
    : ok(body, { ETag: etag });
}

/** Whether the client has the version with this tag. Ignores the mark of a weak tag. Source: RFC 9110, 13.1.2. */
export function isKnown(headers: Headers, etag: string): boolean {
  const known = headers.get("If-None-Match")?.trim();
  if (known === undefined) return false;
  return known === "*" || tagsIn(known).some((tag) => tag === etag || tag === `W/${etag}`);
}

/**
 * Returns what decides whether the view of a value is a version that the request names, or undefined if the request may
 * change any version. Source: RFC 9110, 13.1.1.
 */
export function expectedVersion<Value>(
  { headers }: Request,
  viewOf: (value: Value) => unknown,
): ((value: Value) => boolean) | undefined {
  if (["*", undefined].includes(headers.get("If-Match")?.trim())) return undefined;
  return (value) => isExpected(headers, entityTag(viewOf(value)));
}

/** Whether the request accepts the version with this tag, which it may not know. Source: RFC 9110, 13.1.1. */
export function isExpected(headers: Headers, etag: string): boolean {
  const expected = headers.get("If-Match")?.trim() ?? "*";
  return expected === "*" || tagsIn(expected).includes(etag);
}

/** More are not read: clients send the tags of the versions that they have. */
const MAX_TAGS = 100;

/** A tag may contain commas. Source: RFC 9110, 8.8.3. */
function tagsIn(list: string): string[] {
  return [...list.matchAll(/(?:^|,)\s*((?:W\/)?"[^"]*")\s*(?=,|$)/g).take(MAX_TAGS)].map(([, tag]) => tag);
}
