import { z } from "zod";
import { type Credential, CredentialSchema, CredentialTextSchema } from "./passkeys/schema.ts";
import { said } from "../schemas/documented_rules.ts";
import { issueMessage, type Problem } from "../errors/problem.ts";
import { plainCode } from "../schemas/plain_code.ts";
import { Checkbox, line, lineOf, string } from "../schemas/text.ts";
import { Email, Name, NewPassword, Password, Token } from "../schemas/user.ts";

export const RegistrationSchema = z.object({ name: Name, email: Email, password: NewPassword });
export type Registration = z.infer<typeof RegistrationSchema>;

/** The same as a form, which asks whether others may see the address. */
export const RegistrationFormSchema = RegistrationSchema.extend({ emailVisible: Checkbox });

/** The form that makes the first admin. The address is entered twice: a mistyped one would belong to a stranger. */
const FirstAdminFormSchema = RegistrationSchema.extend({ emailAgain: Email })
  .refine(({ email, emailAgain }) => email === emailAgain, {
    path: ["emailAgain"],
    message: issueMessage({ rule: "sameAddress" }),
  });

/** The same without a password, where no one gets a new one. */
const PlainFirstAdminFormSchema = z.object({ name: Name, email: Email, emailAgain: Email })
  .refine(({ email, emailAgain }) => email === emailAgain, {
    path: ["emailAgain"],
    message: issueMessage({ rule: "sameAddress" }),
  });

/** What makes the first admin. */
export type FirstAdmin = Omit<Registration, "password"> & { password?: string };

/** Returns the form that makes the first admin. */
export function firstAdminForm({ hasPassword }: { hasPassword: boolean }): z.ZodType<FirstAdmin> {
  return hasPassword ? FirstAdminFormSchema : PlainFirstAdminFormSchema;
}

export const LoginSchema = z.object({ email: Email, password: Password });
export type Login = z.infer<typeof LoginSchema>;

export const ForgotPasswordSchema = z.object({ email: Email });
export type ForgotPassword = z.infer<typeof ForgotPasswordSchema>;

/** The link that logs in once. */
export const LoginLinkSchema = z.object({ email: Email, token: Token });
export type LoginLink = z.infer<typeof LoginLinkSchema>;

export const PasswordResetSchema = z.object({ email: Email, token: Token, password: NewPassword });
export type PasswordReset = z.infer<typeof PasswordResetSchema>;

/** A change of one's own password. An account without a password omits the current one. */
export const PasswordChangeSchema = z.object({
  currentPassword: Password.optional(),
  newPassword: NewPassword.meta({ sample: "Analytical-engine-1843" }),
  keepOthers: z.boolean(issueMessage({ rule: "boolean" })).default(false),
});
export type PasswordChange = z.infer<typeof PasswordChangeSchema>;

/** The same as a form. */
export const PasswordChangeFormSchema = z.object({
  currentPassword: Password.optional(),
  password: NewPassword,
  keepOthers: Checkbox,
  /** For whom the page was rendered. */
  userId: line().optional(),
});
export type PasswordChangeForm = z.infer<typeof PasswordChangeFormSchema>;

/** What ends with the other sessions. */
export const EndOthersSchema = z.object({
  /** Whether apps that stay connected without a session end too. */
  apps: z.boolean(issueMessage({ rule: "boolean" })).default(false),
});

/** The form of the page that lists apps. The id may be any text: an unknown one is not found. */
export const AppsFormSchema = z.object({ id: lineOf({ max: 64 }) });

/** The forms of the page that lists sessions and devices. An id may be any text: an unknown one is not found. */
export const SessionsFormSchema = z.discriminatedUnion("action", [
  z.object({ action: z.literal("end"), id: lineOf({ max: 64 }) }),
  z.object({ action: z.literal("forget"), id: lineOf({ max: 64 }) }),
  z.object({ action: z.literal("end_others") }),
]);

export const ResendVerificationSchema = z.object({ email: Email });
export type ResendVerification = z.infer<typeof ResendVerificationSchema>;

export const InvitationSchema = z.object({
  name: Name,
  email: Email,
  next: lineOf({ max: 2048 }).optional().meta({
    description:
      "Where the person goes after accepting: an address of this service, of a product in `RETURN_ORIGINS`, " +
      "or of an app in `CLIENTS_FILE`",
  }),
});
export type Invitation = z.infer<typeof InvitationSchema>;

/** `reject` deletes the account: the owner of the address did not create it. */
export const EmailVerificationSchema = z.object({
  email: Email,
  token: Token,
  reject: z.boolean(issueMessage({ rule: "boolean" })).optional(),
});
export type EmailVerification = z.infer<typeof EmailVerificationSchema>;

/** The form of the page that confirms an address. Only `resend` needs no token. A program may omit `verify`. */
export const EmailVerificationFormSchema = z.discriminatedUnion("action", [
  z.object({ action: z.enum(["verify", "reject"]).optional(), email: Email, token: Token }),
  z.object({ action: z.literal("resend"), email: Email }),
]);
export type EmailVerificationForm = z.infer<typeof EmailVerificationFormSchema>;

/** The form that closes an account. It names the person for whom the page was rendered. */
export const CloseAccountFormSchema = z.object({ userId: line() });

export const EmailChangeSchema = z.object({ email: Email });
export type EmailChange = z.infer<typeof EmailChangeSchema>;

/** The forms of the page that changes the address. A program may omit `request`. */
export const EmailChangeFormSchema = z.discriminatedUnion("action", [
  z.object({ action: z.literal("request").optional(), email: Email }),
  z.object({ action: z.literal("cancel") }),
]);

/** The token of a link that carries nothing else. */
export const LinkTokenSchema = z.object({ token: Token });

/** The identity provider to link, by its key. */
export const IdentityLinkSchema = z.object({ provider: lineOf({ max: 64 }).meta({ sample: "default" }) });

/** The code that a device shows, and what its person answers. Without an answer, the page asks for one. */
export const DeviceFormSchema = z.object({
  userCode: lineOf({ max: 64 }),
  answer: z.enum(["allow", "cancel"]).optional(),
  user: lineOf({ max: 64 }).optional(),
});
export type DeviceForm = z.infer<typeof DeviceFormSchema>;

/** A form that consists of its button. */
export const ButtonFormSchema = z.object({});

/**
 * A code that people type in, with the digits of any script. Spaces, hyphens and invisible marks only make it readable,
 * and line breaks around it come from copying.
 */
const Code = lineOf({ max: 64, of: string().overwrite((code) => code.trim()) }).overwrite(plainCode);

function notEmpty(problem: Problem) {
  return Code.refine((code) => code !== "", issueMessage(problem)).meta({
    maxLength: 64,
    pattern: "^[\\s-]*[^\\s-].*$",
    description: said("oneLine"),
    sample: "12345678",
  });
}

/** The code of an authenticator app, or a recovery code. */
const SecondFactorCode = notEmpty({ rule: "required" });

export const SecondFactorSchema = z.object({ code: SecondFactorCode });

/** What completes a login: exactly one proof. */
export const SecondStepSchema = z.object({
  code: SecondFactorCode.optional(),
  credential: CredentialSchema.optional(),
  trustDevice: z.boolean(issueMessage({ rule: "boolean" })).default(false),
}).transform(({ code, credential, trustDevice }, context): SecondStepInput => {
  if (code !== undefined && credential === undefined) return { proof: { code }, trustDevice };
  if (code === undefined && credential !== undefined) return { proof: { credential }, trustDevice };
  const message = issueMessage({ rule: code === undefined ? "required" : "oneProof" });
  context.addIssue({ code: "custom", path: ["code"], message });
  return z.NEVER;
}).meta({ oneOf: [{ required: ["code"] }, { required: ["credential"] }], sample: { code: "12345678" } });
export type SecondStepProof = { code: string } | { credential: Credential };
export interface SecondStepInput {
  proof: SecondStepProof;
  /** Whether logins on this device skip the second step from now on. */
  trustDevice: boolean;
}

/**
 * The forms of the page that asks for the second factor. `lost` emails a link that starts its removal. A program may
 * omit `enter`.
 */
export const SecondStepFormSchema = z.discriminatedUnion("action", [
  z.object({ action: z.literal("enter").optional(), code: SecondFactorCode, trustDevice: Checkbox }),
  z.object({ action: z.literal("passkey"), credential: CredentialTextSchema, trustDevice: Checkbox }),
  z.object({ action: z.literal("lost") }),
]);

export const SignInCodeRequestSchema = z.object({ email: Email });
export type SignInCodeRequest = z.infer<typeof SignInCodeRequestSchema>;

export const CodeLoginSchema = z.object({ email: Email, code: notEmpty({ rule: "tooShort", min: 1 }) });
export type CodeLogin = z.infer<typeof CodeLoginSchema>;

/** The form of the page on which people log in with an emailed code. A program may omit `verify`. */
export const CodeLoginFormSchema = z.discriminatedUnion("action", [
  SignInCodeRequestSchema.extend({ action: z.literal("send") }),
  CodeLoginSchema.extend({ action: z.literal("verify").optional() }),
]);

/** What proves again who someone is: exactly one of the fields. */
export const ProofSchema = z.object({
  password: Password.optional(),
  code: Code.optional(),
  credential: CredentialSchema.optional(),
}).transform(({ password, code, credential }, context): Proof => {
  const proofs = [password !== undefined && { password }, code !== undefined && { code }, credential && { credential }];
  const [proof, ...others] = proofs.filter((proof) => typeof proof === "object");
  if (proof !== undefined && others.length === 0) return proof;
  const message = issueMessage({ rule: proof === undefined ? "required" : "oneProof" });
  context.addIssue({ code: "custom", path: ["password"], message });
  return z.NEVER;
}).meta({
  oneOf: [{ required: ["password"] }, { required: ["code"] }, { required: ["credential"] }],
  sample: { password: "Correct-horse-7" },
});
export type Proof = { password: string } | { code: string } | { credential: Credential };

/** The form of the page that asks for a proof. `send` emails a code. */
export const ReauthenticationFormSchema = z.object({ action: z.enum(["prove", "send"]).default("prove") });

/** The public id of a session. For instances of an earlier release, the database generates ids of version 4. */
export const SessionId = z.uuid();
