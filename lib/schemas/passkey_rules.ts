import { notLonger, ONE_LINE, REQUIRED, type TextRules } from "./rules.ts";
import { READABLE } from "./user_rules.ts";

/** The name that people give a passkey. */
export const PASSKEY_NAME: TextRules = {
  gate: [notLonger(100), ONE_LINE],
  rules: [{ key: "tooShort", message: REQUIRED, holds: (text) => text !== "" }, READABLE],
};
