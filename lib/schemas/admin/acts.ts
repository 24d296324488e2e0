import { z } from "zod";
import { issueMessage } from "../../problem.ts";
import { notLonger, notShorter, ONE_LINE, type TextRules } from "../rules.ts";
import { text } from "../text.ts";
import { ROLES } from "./states.ts";

/** Why an admin does something, in words for other admins. */
export const REASON: TextRules = { gate: [notLonger(500), ONE_LINE], rules: [notShorter(1)] };
export const Reason = text(REASON);

/** An act that needs a reason. */
export const ReasonedActSchema = z.object({ reason: Reason });

/** An act that may have a reason. */
export const ActSchema = z.object({ reason: Reason.optional() });

/** The removal of an account. With `now`, its owner cannot keep it. */
export const RemovalSchema = ReasonedActSchema.extend({
  now: z.boolean(issueMessage({ rule: "boolean" })).default(false),
});

/** A change of a role. */
export const RoleSchema = ActSchema.extend({
  role: z.enum(ROLES, issueMessage({ rule: "oneOf", values: ROLES })),
});

/** What the forms of acts on an account have besides the reason. */
const ActOnAccount = {
  /** The client address whose limits are lifted. */
  address: z.union([z.ipv4(), z.ipv6()], issueMessage({ rule: "invalid" })).optional(),
};

/** The form of an act that needs a reason. */
export const ReasonedActFormSchema = ReasonedActSchema.extend(ActOnAccount);

/** The form of an act that may have a reason: an empty field is none. */
export const ActFormSchema = z.preprocess(
  ({ reason, ...fields }: Record<string, unknown>) => reason === "" ? fields : { reason, ...fields },
  ActSchema.extend(ActOnAccount),
);

/** The query of the page of an act. */
export const ActPageSchema = z.object(ActOnAccount);
