import type { ComponentChildren } from "preact";
import { FormId } from "../../../../lib/ui/form/FormId.tsx";

interface AnswerFormProps {
  action: string;
  /** The person for whom the page is shown. */
  user: { id: string };
  children: ComponentChildren;
}

/** The form of the pages that an app sends people to. */
export function AnswerForm({ action, user, children }: AnswerFormProps) {
  return (
    <form method="post" action={action}>
      <FormId />
      <input type="hidden" name="user" value={user.id} />
      {children}
    </form>
  );
}

interface AnswerButtonProps {
  value: "allow" | "cancel" | "continue" | "other";
  /** What it looks like. Default: the answer that the page is about. */
  look?: "secondary" | "quiet";
  children: ComponentChildren;
}

/** One of its buttons. */
export function AnswerButton({ value, look, children }: AnswerButtonProps) {
  return <button class={look} type="submit" name="answer" value={value}>{children}</button>;
}
