import { isAvatarAllowed } from "./avatar.ts";
import { type User, USER_COLUMNS, userOfRow } from "./user.ts";
import { AppError, validationFailed } from "../errors.ts";
import type { ProfileUpdate } from "../schemas/profile.ts";
import type { Services } from "../services.ts";

/**
 * Updates the given fields of the user's own profile. Omitted fields keep their value.
 *
 * @throws {AppError} VALIDATION_FAILED when the avatar is not allowed; UNAUTHENTICATED when the user no longer exists.
 */
export async function updateProfile(
  services: Services,
  userId: string,
  { name, bio, location, website, avatar }: ProfileUpdate,
): Promise<User> {
  if (avatar && !isAvatarAllowed(avatar, services)) {
    throw validationFailed({ avatar: ["Must be an https address or a file stored here"] });
  }
  const row = await services.db.updateTable("users")
    .set({ name, bio, location, website, avatar: avatar === "" ? null : avatar, updated_at: services.now() })
    .where("id", "=", userId).returning(USER_COLUMNS).executeTakeFirst();
  if (row === undefined) throw new AppError("UNAUTHENTICATED", "This account has been deleted");
  return userOfRow(row);
}
