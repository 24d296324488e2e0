import { atLeast, atMost, line, text } from "./text.ts";
import { BIO, EMAIL, LOCATION, NAME, NEW_PASSWORD, PASSWORD_MAX, WEB_ADDRESS } from "./user_rules.ts";

export const Name = text(NAME);
export const Email = text(EMAIL);
export const NewPassword = text(NEW_PASSWORD);
export const Bio = text(BIO);
export const Location = text(LOCATION);
export const WebAddress = text(WEB_ADDRESS);

/** A password being tried, in the form in which it is hashed; held to no rule but the length that one can have. */
export const Password = line().transform((text) => text.normalize("NFKC")).refine(...atLeast(1)).refine(
  ...atMost(PASSWORD_MAX),
);

/** A token from a mailed link. */
export const Token = line().refine(...atLeast(1)).refine(...atMost(128));
