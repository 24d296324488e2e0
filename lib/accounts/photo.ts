import type { Principal } from "../access/principal.ts";
import { updateProfile } from "./profile.ts";
import { hasUploads } from "../config/uploads_setting.ts";
import { newPhotoIn, type ProfileUpdate } from "./schema.ts";
import type { ImageFile } from "../uploads/schema.ts";
import type { ImageCrop, Services } from "../services/services.ts";
import { uploadImage } from "../uploads/image.ts";
import { pictureType } from "../uploads/rules.ts";

/** What has happened to a profile. */
export type ProfileChange = "profile_saved" | "photo_saved" | "photo_removed" | "email_shown" | "email_hidden";

/**
 * Saves the profile that a person has filled in, with a new photo if they have chosen one.
 *
 * @throws {AppError} as {@linkcode uploadImage} and {@linkcode updateProfile} do.
 */
export async function saveProfile(
  services: Services,
  principal: Principal,
  { file, crop, ...update }: ProfileUpdate & { file?: ImageFile; crop: ImageCrop },
): Promise<ProfileChange> {
  const photo = hasUploads(services.config, "photos") ? newPhotoIn({ file, ...update }) : undefined;
  if (photo !== undefined) {
    const { name, contentType: type, image: { start } } = photo;
    const typed = { ...photo, contentType: pictureType({ name, type }, start) };
    const { url } = await uploadImage(services, { userId: principal.user.id, type: "avatar", file: typed, crop });
    await updateProfile(services, principal, { ...update, avatar: url });
    return "photo_saved";
  }
  await updateProfile(services, principal, update);
  if (update.emailVisible !== undefined) return update.emailVisible ? "email_shown" : "email_hidden";
  return update.avatar === "" ? "photo_removed" : "profile_saved";
}
