import { z } from "zod";

/** An authenticator app that waits for its first code. */
export const TotpSetupView = z.object({
  secret: z.string().meta({ description: "In base32" }),
  uri: z.string(),
  qr: z.string().meta({ description: "The URI as a QR code, in SVG" }),
});
export type TotpSetupView = z.infer<typeof TotpSetupView>;

/** Each code works once, and they are never shown again. */
export const RecoveryCodes = z.object({ recoveryCodes: z.array(z.string()) });
