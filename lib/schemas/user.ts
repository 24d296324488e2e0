import { lineOf, text } from "./text.ts";
import { EMAIL, NEW_PASSWORD, PASSWORD } from "./credential_rules.ts";
import { BIO, LOCATION, NAME, WEB_ADDRESS, WEBSITE } from "./user_rules.ts";

export const Name = text(NAME);
export const Email = text(EMAIL);
export const NewPassword = text(NEW_PASSWORD);
export const Bio = text(BIO);
export const Location = text(LOCATION);
export const WebAddress = text(WEB_ADDRESS);
export const Website = text(WEBSITE);

/** The password of a login. */
export const Password = text(PASSWORD);

/** The token in an emailed link. */
export const Token = lineOf({ min: 1, max: 128 });
