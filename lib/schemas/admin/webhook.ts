import { z } from "zod";
import { issueMessage } from "../../problem.ts";
import { said } from "../documented_rules.ts";
import { EVENT_KINDS } from "../event_kinds.ts";
import { notShorter, type TextRules } from "../rules.ts";
import { lineOf, text } from "../text.ts";
import { WEB_ADDRESS } from "../user_rules.ts";

/** Where a webhook is sent. Whether it may be sent there depends on the configuration. */
export const WEBHOOK_URL: TextRules = { ...WEB_ADDRESS, rules: [notShorter(1), ...WEB_ADDRESS.rules] };

const KINDS_MAX = 100;

/** A webhook to add. A kind that is listed twice counts once. */
export const WebhookSchema = z.object({
  url: text(WEBHOOK_URL, {
    pattern: "^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/\\\\?#@]+(?:[/?#]\\S*)?$",
    description: `An https URL on the public Internet, without credentials. ${said("oneLine", "trimmed", "encoded")}`,
  }),
  kinds: z.array(z.enum(EVENT_KINDS, issueMessage({ rule: "eventKind" })), {
    error: ({ input }) => issueMessage({ rule: input === undefined ? "required" : "eventKindList" }),
  })
    .min(1, issueMessage({ rule: "eventKinds" })).max(KINDS_MAX, issueMessage({ rule: "tooMany" }))
    .transform((kinds) => EVENT_KINDS.filter((kind) => kinds.includes(kind))),
});
export type NewWebhook = z.infer<typeof WebhookSchema>;

/** The form that adds a webhook: each kind is a checkbox of its own. */
export const WebhookFormSchema = z.preprocess(
  (fields: Record<string, unknown>) => ({
    url: fields.url,
    kinds: EVENT_KINDS.filter((kind) => Object.hasOwn(fields, kind)),
  }),
  WebhookSchema,
);

/** The form that acts on a webhook: with a button of its own, or with that of a delivery to send again. */
export const WebhookActFormSchema = z.object({
  action: z.enum(["test", "rotate", "enable", "delete"]).optional(),
  replay: lineOf({ max: 64 }).optional(),
});
export type WebhookActForm = z.infer<typeof WebhookActFormSchema>;
