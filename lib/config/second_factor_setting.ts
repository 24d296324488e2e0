import { GROUP_NAME } from "./registered_client.ts";
import { words } from "./variable_types.ts";

/** Who must have a second factor. */
export interface SecondFactorPolicy {
  everyone: boolean;
  admins: boolean;
  /** The names of the groups whose members must have one. */
  groups: string[];
}

const GROUP = "group:";

/** Reads who must have a second factor; null if it is everyone's own choice. */
export const secondFactorPolicy = words.transform((entries, context): SecondFactorPolicy | null => {
  const groups = entries.filter((entry) => entry.startsWith(GROUP)).map((entry) => entry.slice(GROUP.length));
  const others = entries.filter((entry) => !entry.startsWith(GROUP));
  const isKnown = others.every((entry) => ["optional", "admins", "everyone"].includes(entry)) &&
    groups.every((name) => GROUP_NAME.test(name));
  const isOptional = others.includes("optional");
  if (!isKnown || entries.length === 0 || isOptional && entries.length > 1) {
    context.addIssue({
      code: "custom",
      message: "must be optional, or admins, everyone and group:NAME, separated by spaces",
    });
    return null;
  }
  return isOptional ? null : {
    everyone: others.includes("everyone"),
    admins: others.includes("admins"),
    groups: [...new Set(groups)],
  };
});
