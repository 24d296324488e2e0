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
  isSecondary?: boolean;
  children: ComponentChildren;
}

/** One of its buttons. */
export function AnswerButton({ value, isSecondary, children }: AnswerButtonProps) {
  return (
    <button class={isSecondary ? "secondary" : undefined} type="submit" name="answer" value={value}>{children}</button>
  );
}
