import { type User, userOfRow } from "../accounts/user.ts";
import { AppError, validationFailed } from "../errors.ts";
import type { ProfileUpdate } from "../schemas/profile.ts";
import type { Services } from "../services.ts";

/**
 * Updates what is given of the user's own profile and leaves the rest. An avatar comes from https, from here or
 * from the object store: nothing else would be shown to others without betraying them.
 *
 * @throws {AppError} VALIDATION_FAILED when the avatar is at another kind of address; UNAUTHENTICATED when the user was
 * deleted meanwhile.
 */
export async function updateProfile(
  { db, now, config, objects }: Services,
  userId: string,
  { name, bio, location, website, avatar }: ProfileUpdate,
): Promise<User> {
  const ownOrigins = [config.baseUrl, new URL(objects.publicUrl("")).origin];
  if (avatar && !avatar.startsWith("https:") && !ownOrigins.includes(new URL(avatar).origin)) {
    throw validationFailed({ avatar: ["Must be an https address"] });
  }
  const row = await db.updateTable("users")
    .set({ name, bio, location, website, avatar: avatar === "" ? null : avatar, updated_at: now() })
    .where("id", "=", userId).returningAll().executeTakeFirst();
  if (row === undefined) throw new AppError("UNAUTHENTICATED", "This account has been deleted");
  return userOfRow(row);
}
