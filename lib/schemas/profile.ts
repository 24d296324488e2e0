import { z } from "zod";
import { issueMessage } from "../problem.ts";
import { DEFAULT_CROP } from "./image_rules.ts";
import { ImageCrop, ImageFile } from "./upload.ts";
import { DOCUMENTED, type DocumentedRules } from "./documented_rules.ts";
import { PROFILE_FIELDS, profileField, textsBy } from "./profile_rules.ts";
import { lineOf, text } from "./text.ts";
import { WebAddress } from "./user.ts";

const documented: Record<string, DocumentedRules> = DOCUMENTED;

/** Longer than any tag of a language that is in use. */
const LANGUAGE_MAX = 35;

/**
 * Omitted fields do not change. An empty string clears any field except the name. Null also clears the avatar and the
 * language.
 */
export const ProfileUpdateSchema = z.object({
  ...textsBy(PROFILE_FIELDS, (field) => text(profileField(field).rules, documented[field])),
  avatar: WebAddress.nullable(),
  emailVisible: z.boolean(issueMessage({ rule: "boolean" })).meta({
    description: "Whether others may see the email address. `PUBLIC_USER_EMAILS=false` hides it in any case",
  }),
  language: lineOf({ max: LANGUAGE_MAX }).nullable().meta({
    description: "The language of pages and emails, as a tag such as `de`. `null` follows the browser",
  }),
}).partial();
export type ProfileUpdate = z.infer<typeof ProfileUpdateSchema>;

/** The new photo in the form of the profile page. A form that removes the photo has none. */
export function newPhotoIn(
  { file, avatar }: { file?: ImageFile; avatar?: string | null },
): ImageFile | undefined {
  return avatar === "" ? undefined : file;
}

/** The button that shows or hides the address. */
const EmailVisible = z.enum(["true", "false"]).transform((value) => value === "true").optional();

/** The form of the profile page, with a new photo and the id of the user for whom the page was rendered. */
export const ProfileFormSchema = ProfileUpdateSchema.extend({
  emailVisible: EmailVisible,
  file: ImageFile.optional(),
  crop: ImageCrop.default(DEFAULT_CROP),
  user_id: z.string().optional(),
});

/** The form of the language page, with the id of the user for whom the page was rendered. */
export const LanguageFormSchema = ProfileUpdateSchema.pick({ language: true }).required().extend({
  user_id: z.string().optional(),
});
