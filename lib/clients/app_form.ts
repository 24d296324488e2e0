import { z } from "zod";
import { DEFAULT_FIELDS } from "./client_schema.ts";
import { MadeClientBody, type MadeFields } from "./made_client_schema.ts";
import { DEVICE_GRANT, type GrantType, SERVICE_GRANT } from "../config/registered_client.ts";
import { ReasonedActSchema } from "../admin/schema.ts";
import { ImageFile } from "../uploads/schema.ts";

/** The fields of the form that makes and changes an app, and how many lines each has. The API has more. */
export const APP_FIELDS = {
  client_name: "text",
  redirect_uris: "lines",
  post_logout_redirect_uris: "lines",
  client_uri: "text",
  groups: "words",
  scope: "text",
  backchannel_logout_uri: "text",
} as const satisfies Partial<Record<keyof MadeFields, "text" | "lines" | "words">>;
export type AppField = keyof typeof APP_FIELDS;

/** The kinds of apps that the form makes, by how they get tokens. */
const KINDS = {
  confidential: { hasSecret: true },
  public: { hasSecret: false },
  device: { hasSecret: false, grant_types: [DEVICE_GRANT, "refresh_token"] },
  service: { hasSecret: true, grant_types: [SERVICE_GRANT] },
} satisfies Record<string, { hasSecret: boolean; grant_types?: GrantType[] }>;
export type AppKind = keyof typeof KINDS;
export const APP_KINDS = Object.keys(KINDS) as AppKind[];

const NAMES = Object.keys(APP_FIELDS) as AppField[];

/**
 * Returns the schema of the form. It keeps what the form does not show, and leaves out what was left empty. `hasSecret`
 * says whether a new app gets a secret.
 *
 * @param before the app, unless the form makes it.
 */
export function appFormSchema(before: MadeFields | null) {
  return z.preprocess((form: Record<string, unknown>) => {
    const fields = Object.fromEntries(NAMES.map((name) => [name, entered(name, form[name])]));
    const lifetime = form.stays === undefined ? "session" : "offline";
    const kind = before === null ? KINDS[APP_KINDS.find((known) => known === form.kind) ?? DEFAULT_KIND] : NO_KIND;
    return { ...before, ...fields, ...kind, grant_lifetime: lifetime, reason: form.reason };
  }, MadeClientBody.extend({ hasSecret: z.boolean() }));
}

/** Of an app that is there, the form changes no kind. */
const NO_KIND = { hasSecret: false };
/** What the form has chosen before anyone has. */
export const DEFAULT_KIND: AppKind = "confidential";

/** What the form shows before anyone has entered something. */
export const NEW_APP_VALUES = { scope: DEFAULT_FIELDS.scope.join(" ") };

/** What the form shows of an app. */
export function appFormValues(fields: MadeFields): Record<string, string> {
  const shown = NAMES.map((name): [string, string] => {
    const value = fields[name];
    if (!Array.isArray(value)) return [name, value ?? ""];
    return [name, value.join(APP_FIELDS[name] === "lines" ? "\n" : " ")];
  });
  return { ...Object.fromEntries(shown), ...fields.grant_lifetime === "offline" && { stays: "on" } };
}

function entered(name: AppField, value: unknown): unknown {
  if (typeof value !== "string" || value.trim() === "") return name === "client_name" ? "" : undefined;
  if (APP_FIELDS[name] === "text") return value.trim();
  return value.split(APP_FIELDS[name] === "lines" ? /\r?\n/ : /[\s,]+/).map((each) => each.trim()).filter(Boolean);
}

/** What can be done with an app on its page: with a button each. A secret to delete is named by its number. */
export const AppActSchema = ReasonedActSchema.extend({
  action: z.enum(["end", "secret", "delete"]).default("end"),
  deleteSecret: z.coerce.number().int().optional(),
});
export type AppAct = z.infer<typeof AppActSchema>;

/** The form of the logo of an app. */
export const LogoFormSchema = z.discriminatedUnion("action", [
  ReasonedActSchema.extend({ action: z.literal("save"), file: ImageFile }),
  ReasonedActSchema.extend({ action: z.literal("remove") }),
]);
