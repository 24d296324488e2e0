import { z } from "zod";
import { Bio, Location, Name, WebAddress, Website } from "./user.ts";

/** Omitted fields stay as they are; "" clears everything but the name, and null clears the avatar too. */
export const ProfileUpdateSchema = z.object({
  name: Name,
  bio: Bio,
  location: Location,
  website: Website,
  avatar: WebAddress.nullable(),
}).partial();
export type ProfileUpdate = z.infer<typeof ProfileUpdateSchema>;

/** A page's form, which may tell for whom the page was made. */
export const ProfileFormSchema = ProfileUpdateSchema.extend({ user_id: z.string().optional() });
