import { lineOf, text } from "./text.ts";
import { EMAIL, NEW_PASSWORD, PASSWORD } from "./credential_rules.ts";
import { DOCUMENTED } from "./documented_rules.ts";
import { BIO, LOCATION, NAME, WEB_ADDRESS, WEBSITE } from "./user_rules.ts";

export const Name = text(NAME, DOCUMENTED.name);
export const Email = text(EMAIL, DOCUMENTED.email);
export const NewPassword = text(NEW_PASSWORD, DOCUMENTED.newPassword);
export const Bio = text(BIO, DOCUMENTED.bio);
export const Location = text(LOCATION);
export const WebAddress = text(WEB_ADDRESS, DOCUMENTED.webAddress);
export const Website = text(WEBSITE, DOCUMENTED.website);

/** The password of a login. */
export const Password = text(PASSWORD, DOCUMENTED.password);

/** The token in an emailed link. */
export const Token = lineOf({ min: 1, max: 128 }).meta({ sample: "Wm9lX2V4YW1wbGVfdG9rZW5fb2ZfYW5fZW1haWxfMDE" });
