import type { Texts } from "../../texts/texts.ts";
import { FormId } from "../form/FormId.tsx";

interface ResendLinkProps {
  email: string;
  /** The form of the page /verify-email, with the page that follows the confirmation. */
  action?: string;
  texts: Texts["signIn"];
}

/** The button that emails a new link to an address that is not confirmed. */
export function ResendLink({ email, action = "/verify-email", texts }: ResendLinkProps) {
  return (
    <form method="post" action={action}>
      <FormId />
      <input type="hidden" name="email" value={email} />
      <button type="submit" name="action" value="resend">{texts.verify.resend}</button>
    </form>
  );
}
