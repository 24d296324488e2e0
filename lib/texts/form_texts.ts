import type { FieldTexts } from "./field_errors.ts";
import { listFormat } from "./formats.ts";
import type { Language } from "./texts.ts";

/** The texts for the fields of all forms. Islands have only those for the rules that they check themselves. */
export function formTexts({ locale, texts: { rules, serverRules } }: Language): FieldTexts {
  return {
    ...rules,
    fillIn: { ...rules.fillIn, ...serverRules.fillIn },
    texts: { ...rules.texts, ...serverRules.texts },
    newPassword: { ...serverRules.newPassword, list: (kinds) => listFormat(locale).format(kinds) },
  };
}
