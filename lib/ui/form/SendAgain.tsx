import { FormId } from "./FormId.tsx";

interface SendAgainProps {
  email: string;
  /** The page that sends the email, as one that has sent it. */
  action: string;
  text: string;
}

/** A form that sends an email to the same address once more. */
export function SendAgain({ email, action, text }: SendAgainProps) {
  return (
    <form method="post" action={action}>
      <FormId />
      <input type="hidden" name="email" value={email} />
      <button class="secondary" type="submit" name="action" value="send">{text}</button>
    </form>
  );
}
