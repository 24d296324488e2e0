import { notLonger, ONE_LINE, type TextRules } from "./rules.ts";
import { READABLE } from "./user_rules.ts";

/** The name that people give a passkey. */
export const PASSKEY_NAME: TextRules = {
  gate: [notLonger(100), ONE_LINE],
  rules: [{ problem: { rule: "required" }, holds: (text) => text !== "" }, READABLE],
};
