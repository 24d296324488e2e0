import { z } from "zod";
import { issueMessage } from "../errors/problem.ts";
import { said } from "./documented_rules.ts";
import { line, lineOf } from "./text.ts";
import { NAME_MAX } from "./user_rules.ts";

const LIST_MAX = 500;
const LIST_DEFAULT = 100;
const LIMIT_MESSAGE = issueMessage({ rule: "between", min: 1, max: LIST_MAX });

/** An id, as Foyer generates it: a UUID version 7 in lower case. Source: RFC 9562. */
export const Id = z.uuidv7().lowercase();

/** The query of a list. `cursor` is the `nextCursor` of the previous page. */
export const ListSchema = z.strictObject({
  limit: line().regex(/^[0-9]{1,3}$/, LIMIT_MESSAGE).transform(Number)
    .refine((limit) => limit >= 1 && limit <= LIST_MAX, LIMIT_MESSAGE)
    .default(LIST_DEFAULT)
    .meta({
      type: "integer",
      pattern: undefined,
      minimum: 1,
      maximum: LIST_MAX,
      description: `Default: ${LIST_DEFAULT}`,
    }),
  cursor: line().transform((cursor, context) => {
    const id = idOfCursor(cursor);
    if (id === null) context.addIssue({ code: "custom", message: issueMessage({ rule: "cursor" }) });
    return id ?? z.NEVER;
  }).meta({ format: "cursor", description: "The `nextCursor` of the previous page" }).optional(),
});
export type ListQuery = z.infer<typeof ListSchema>;

/** Maximum entries on a page for guests. A larger `limit` is reduced to it. */
export const GUEST_LIST_MAX = LIST_DEFAULT;

/** How much of a list is read, and what is searched for. */
export type ListExtent = Pick<ListQuery, "limit"> & { query?: string };

/** Whether the database may need more than a few milliseconds for a list: for a long page, or for a search. */
export function isLongList({ limit, query = "" }: ListExtent): boolean {
  return limit > LIST_DEFAULT || isSearch(query);
}

/** Whether someone searches for this text. Blanks list everything. */
export function isSearch(query: string): boolean {
  return query.trim() !== "";
}

/** The query of a list of users. */
export const UserListSchema = ListSchema.extend({
  query: lineOf({ max: NAME_MAX }).meta({
    description: `Beginnings of words in the name, such as \`ann sm\`. Case and accents make no difference. ${
      said("oneLine")
    }`,
  }).optional(),
});

/** The query of a page that shows a list. */
export const PageSchema = z.object({ cursor: ListSchema.shape.cursor });

/** The query of the page of people. */
export const UserPageSchema = PageSchema.extend({ query: UserListSchema.shape.query });

/** Returns the cursor of the page that starts after the entry with this id. */
export function cursorOfId(id: string): string {
  return new TextEncoder().encode(id).toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Returns the page of a list that is read whole. It starts again if the entry that the cursor names is gone. */
export function pageOf<Entry extends { id: string }>(
  entries: Entry[],
  { limit, cursor }: ListQuery,
): { data: Entry[]; nextCursor: string | null } {
  const start = cursor === undefined ? 0 : entries.findIndex(({ id }) => id === cursor) + 1;
  const data = entries.slice(start, start + limit);
  return { data, nextCursor: start + limit < entries.length ? cursorOfId(data.at(-1)!.id) : null };
}

/** Returns a page of a list of which one entry more was read than the page has. */
export function pageOfMore<Entry extends { id: string }>(
  entries: Entry[],
  { limit }: Pick<ListQuery, "limit">,
): { data: Entry[]; nextCursor: string | null } {
  const data = entries.slice(0, limit);
  return { data, nextCursor: entries.length > limit ? cursorOfId(data.at(-1)!.id) : null };
}

/** The ids of sessions and of some identities are UUIDs of other versions. */
const ANY_ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** An id that nothing has. */
export const NO_ID = "00000000-0000-0000-0000-000000000000";

/** Whether the text can be the id of something. */
export function isId(text: string): boolean {
  return ANY_ID.test(text);
}

function idOfCursor(cursor: string): string | null {
  try {
    const id = new TextDecoder().decode(Uint8Array.fromBase64(cursor, { alphabet: "base64url" }));
    return isId(id) ? id : null;
  } catch {
    return null;
  }
}
