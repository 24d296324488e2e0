import { z } from "zod";
import { line } from "./text.ts";

const USER_LIST_MAX = 500;
const USER_LIST_DEFAULT = 100;
export const USER_PAGE_SIZE = 24;

/** The query of the user list. `cursor` is the `nextCursor` of the previous page. */
export const UserListSchema = z.strictObject({
  limit: line().regex(/^[0-9]{1,3}$/, `Must be a whole number from 1 to ${USER_LIST_MAX}`).transform(Number)
    .refine((limit) => limit >= 1 && limit <= USER_LIST_MAX, `Must be a whole number from 1 to ${USER_LIST_MAX}`)
    .default(USER_LIST_DEFAULT),
  cursor: line().transform((cursor, context) => {
    const id = userIdOfCursor(cursor);
    if (id === null) context.addIssue({ code: "custom", message: "Must be a nextCursor value from this list" });
    return id ?? z.NEVER;
  }).optional(),
});
export type UserListQuery = z.infer<typeof UserListSchema>;

/** The query of the page that shows the list. */
export const UserPageSchema = z.object({ cursor: UserListSchema.shape.cursor });

/** A user id, as Foyer generates it: a UUID version 7 in lower case. Source: RFC 9562. */
export const UserId = z.uuidv7().lowercase();

/** Returns the cursor of the page that starts after this user. */
export function cursorOfUserId(id: string): string {
  return new TextEncoder().encode(id).toBase64({ alphabet: "base64url", omitPadding: true });
}

function userIdOfCursor(cursor: string): string | null {
  try {
    const id = new TextDecoder().decode(Uint8Array.fromBase64(cursor, { alphabet: "base64url" }));
    return UserId.safeParse(id).success ? id : null;
  } catch {
    return null;
  }
}
