import { z } from "zod";
import { DOCUMENTED } from "../../schemas/documented_rules.ts";
import { issueMessage } from "../../errors/problem.ts";
import { notLonger, ONE_LINE, type TextRules } from "../../schemas/rules.ts";
import { string, text } from "../../schemas/text.ts";
import { READABLE } from "../../schemas/user_rules.ts";
import { EntityId, like, listOf, one, Time } from "../../schemas/views.ts";

const BASE64URL = issueMessage({ rule: "base64url" });
const TOO_LONG = issueMessage({ rule: "longText" });
const OBJECT = issueMessage({ rule: "object" });

function notArray(input: unknown): string {
  return issueMessage({ rule: "type", expected: "array", received: z.util.parsedType(input) });
}

/** Text of this alphabet, as WebAuthn encodes bytes in JSON. Source: RFC 4648, 5. */
function base64url(maxLength: number) {
  return string().regex(/^[A-Za-z0-9_-]+$/, BASE64URL).max(maxLength, TOO_LONG).meta({ sample: "ZXhhbXBsZQ" });
}

/** An authenticator names its passkeys by at most 1,023 bytes. Source: WebAuthn Level 3, 4 (credential ID). */
const CredentialId = base64url(1364);
const Part = base64url(40_000);
const KeyType = z.literal("public-key", issueMessage({ rule: "publicKey" }));

/** What `navigator.credentials.create` returns, as its `toJSON` writes it. */
const NewCredentialSchema = z.object({
  id: CredentialId,
  rawId: CredentialId,
  type: KeyType,
  response: z.object({
    clientDataJSON: Part,
    attestationObject: Part,
    transports: z.array(string().max(32, TOO_LONG).meta({ sample: "internal" }), {
      error: ({ input }) => notArray(input),
    })
      .max(16, issueMessage({ rule: "tooMany" })).optional(),
  }, OBJECT),
}, OBJECT);
export type NewCredential = z.infer<typeof NewCredentialSchema>;

/** What `navigator.credentials.get` returns, as its `toJSON` writes it. */
export const CredentialSchema = z.object({
  id: CredentialId,
  rawId: CredentialId,
  type: KeyType,
  response: z.object({
    clientDataJSON: Part,
    authenticatorData: Part,
    signature: Part,
    // Some programs send an empty one in place of none.
    userHandle: string().regex(/^[A-Za-z0-9_-]*$/, BASE64URL).max(40_000, TOO_LONG).nullish().meta({
      sample: "ZXhhbXBsZQ",
    }),
  }, OBJECT),
}, OBJECT);
export type Credential = z.infer<typeof CredentialSchema>;

/** The name that people give a passkey. */
const PASSKEY_NAME: TextRules = {
  gate: [notLonger(100), ONE_LINE],
  rules: [{ problem: { rule: "required" }, holds: (text) => text !== "" }, READABLE],
};
const PasskeyName = text(PASSKEY_NAME, DOCUMENTED.passkeyName);

export const NewPasskeySchema = z.object({ name: PasskeyName, credential: NewCredentialSchema });
export type NewPasskey = z.infer<typeof NewPasskeySchema>;

export const PasskeyRenameSchema = z.object({ name: PasskeyName });

/** The form that renames a passkey. */
export const PasskeyRenameFormSchema = z.object({ passkeyName: PasskeyName });

/** The form that adds a passkey. The credential is null if the browser could not ask for the options. */
export const NewPasskeyFormSchema = z.object({
  passkeyName: PasskeyName,
  credential: json().pipe(NewCredentialSchema.nullable()),
});

export const PasskeyLoginSchema = z.object({ credential: CredentialSchema });

/** The id of a passkey in the API. */
export const PasskeyId = z.uuid();

/** A credential as a form sends it. */
export const CredentialTextSchema = json().pipe(CredentialSchema);

/** The form of the button that logs in with a passkey. */
export const PasskeyLoginFormSchema = z.object({ credential: CredentialTextSchema });

/** JSON in a field of a form; null if the field is empty. */
function json() {
  return string().transform((value, context): unknown => {
    try {
      return value === "" ? null : JSON.parse(value);
    } catch {
      context.addIssue({ code: "custom", message: issueMessage({ rule: "json" }) });
      return z.NEVER;
    }
  });
}

/** A passkey as its owner sees it. */
export const PasskeyView = z.object({
  id: EntityId,
  name: like("Laptop"),
  createdAt: Time,
  lastUsedAt: Time.nullable(),
  backedUp: z.boolean().meta({ description: "Whether it is synchronized between devices" }),
});
export type PasskeyView = z.infer<typeof PasskeyView>;

export const PasskeyList = listOf(PasskeyView);
export const OnePasskey = one(PasskeyView);

/** What the browser needs for a ceremony. WebAuthn defines the fields. */
export const PasskeyOptions = z.object({
  options: z.looseObject({ challenge: like("ZXhhbXBsZQ") }).meta({
    description: "For `parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON` of `PublicKeyCredential`",
  }),
});
