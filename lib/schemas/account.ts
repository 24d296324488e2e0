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

/** `reject` deletes the account: the owner of the address did not create it. */
export const EmailVerificationSchema = z.object({
  email: Email,
  token: Token,
  reject: z.boolean("Must be true or false").optional(),
});
export type EmailVerification = z.infer<typeof EmailVerificationSchema>;

/** The form of the page that confirms an address. Only `resend` needs no token. */
export const EmailVerificationFormSchema = z.discriminatedUnion("action", [
  z.object({ action: z.enum(["verify", "reject"]), email: Email, token: Token }),
  z.object({ action: z.literal("resend"), email: Email }),
]);
