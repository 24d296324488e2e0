import { updateProfile } from "../accounts/profile.ts";
import type { User } from "../accounts/user.ts";
import type { UploadedFile } from "../schemas/upload.ts";
import type { Services } from "../services.ts";
import { uploadImage } from "./image.ts";

/**
 * Stores an image and makes it the user's avatar.
 *
 * @throws {AppError} as {@linkcode uploadImage} and {@linkcode updateProfile} do.
 */
export async function changeAvatar(
  services: Services,
  { userId, file }: { userId: string; file: UploadedFile },
): Promise<User> {
  const { url } = await uploadImage(services, { type: "avatar", file });
  return await updateProfile(services, userId, { avatar: url });
}
