import { z } from "zod";
import { Bio, Location, Name, WebAddress } from "./user.ts";

/** What is left out stays as it is; "" clears everything but the name. */
export const ProfileUpdateSchema = z.object({
  name: Name,
  bio: Bio,
  location: Location,
  website: WebAddress,
  avatar: WebAddress,
}).partial();
export type ProfileUpdate = z.infer<typeof ProfileUpdateSchema>;

/** A page's form, which may tell for whom the page was made. */
export const ProfileFormSchema = ProfileUpdateSchema.extend({ user_id: z.string().optional() });
