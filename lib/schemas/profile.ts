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
