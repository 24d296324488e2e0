import type { Principal } from "../access/principal.ts";
import { updateProfile } from "./profile.ts";
import type { User } from "../users/user_row.ts";
import type { ProfileUpdate } from "../schemas/profile.ts";
import type { UploadedFile } from "../schemas/upload.ts";
import type { Services } from "../services.ts";
import { uploadImage } from "../uploads/image.ts";

/**
 * Stores an image and makes it the user's avatar, together with other changes to the profile.
 *
 * @throws {AppError} as {@linkcode uploadImage} and {@linkcode updateProfile} do.
 */
export async function changeAvatar(
  services: Services,
  { principal, file, update }: { principal: Principal; file: UploadedFile; update: ProfileUpdate },
): Promise<User> {
  const { url } = await uploadImage(services, { userId: principal.user.id, type: "avatar", file });
  return await updateProfile(services, principal, { ...update, avatar: url });
}
