import type { ProfileTexts } from "../../schemas/profile_rules.ts";
import { BIO_MAX } from "../../schemas/user_rules.ts";

/** The form of the user’s own profile. */
export const profile = {
  title: "Your profile",
  preview: "How others see you",
  labels: {
    name: "Name",
    bio: "About you",
    location: "Location",
    website: "Website",
  } satisfies ProfileTexts,
  optional: "(optional)",
  hints: {
    bio: `Up to ${BIO_MAX} characters.`,
    website: "For example, example.com",
  } as Partial<ProfileTexts>,
  checkFields: "There is a problem",
  save: "Save profile",
  saving: "Saving…",
  saved: "Profile saved.",
  changedElsewhere:
    "Your profile has changed since you opened this page. Your changes are still here. Save again to replace it.",
  unsaved: "You have unsaved changes.",
};
