import { z } from "zod";
import { UploadedFile } from "./upload.ts";
import { Bio, Location, Name, WebAddress, Website } from "./user.ts";

/** Omitted fields do not change. An empty string clears any field except the name. Null also clears the avatar. */
export const ProfileUpdateSchema = z.object({
  name: Name,
  bio: Bio,
  location: Location,
  website: Website,
  avatar: WebAddress.nullable(),
}).partial();
export type ProfileUpdate = z.infer<typeof ProfileUpdateSchema>;

/** The form of the profile page, with a new photo and the id of the user for whom the page was rendered. */
export const ProfileFormSchema = ProfileUpdateSchema.extend({
  file: UploadedFile.optional(),
  user_id: z.string().optional(),
});
