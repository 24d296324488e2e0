import { z } from "zod";
import { like } from "../../schemas/views.ts";

/** An authenticator app that waits for its first code. */
export const TotpSetupView = z.object({
  secret: like("JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP").meta({ description: "In base32" }),
  uri: like("otpauth://totp/Foyer:ada%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Foyer"),
  qr: like("<svg>...</svg>").meta({ description: "The URI as a QR code, in SVG" }),
});
export type TotpSetupView = z.infer<typeof TotpSetupView>;

/** Each code works once, and they are never shown again. */
export const RecoveryCodes = z.object({ recoveryCodes: z.array(like("...")) });
