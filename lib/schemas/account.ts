import { z } from "zod";
import { Email, Name, NewPassword, Password, Token } from "./user.ts";

export const RegistrationSchema = z.object({ name: Name, email: Email, password: NewPassword });
export type Registration = z.infer<typeof RegistrationSchema>;

export const LoginSchema = z.object({ email: Email, password: Password });
export type Login = z.infer<typeof LoginSchema>;

export const ForgotPasswordSchema = z.object({ email: Email });
export type ForgotPassword = z.infer<typeof ForgotPasswordSchema>;

export const PasswordResetSchema = z.object({ email: Email, token: Token, password: NewPassword });
export type PasswordReset = z.infer<typeof PasswordResetSchema>;

export const ResendVerificationSchema = z.object({ email: Email });
export type ResendVerification = z.infer<typeof ResendVerificationSchema>;

export const InvitationSchema = z.object({ name: Name, email: Email });
export type Invitation = z.infer<typeof InvitationSchema>;

/** `reject`: the owner of the address never registered. */
export const EmailVerificationSchema = z.object({
  email: Email,
  token: Token,
  reject: z.boolean("Must be true or false").optional(),
});
export type EmailVerification = z.infer<typeof EmailVerificationSchema>;

/** What the page about an address can be asked for; only sending the mail again needs no token. */
export const EmailVerificationFormSchema = z.discriminatedUnion("action", [
  z.object({ action: z.enum(["verify", "reject"]), email: Email, token: Token }),
  z.object({ action: z.literal("resend"), email: Email }),
]);
