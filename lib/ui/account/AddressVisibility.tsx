import type { Texts } from "../../texts/texts.ts";
import { FormIdField } from "../form/FormIdField.tsx";

/** Who sees the address of an account. */
export interface AddressVisibilityProps {
  isShown: boolean;
  /** Those to whom it is shown. */
  audience: "everyone" | "members";
  /** For whom the page was rendered. */
  userId: string;
  /** The page that shows this form, and takes it. */
  action: string;
  texts: Texts["email"]["visibility"];
}

/**
 * Says who sees the address of an account, with the button that changes it. It belongs beside the address. Its form is
 * apart from others: the first button of a form is also the one that the Enter key presses. Its pages have islands, and
 * no room for the script of forms.
 */
export function AddressVisibility({ isShown, audience, userId, action, texts }: AddressVisibilityProps) {
  return (
    <form class="actions" method="post" action={action}>
      <FormIdField value={crypto.randomUUID()} />
      <input type="hidden" name="user_id" value={userId} />
      <p class="hint">{isShown ? texts.isShown[audience] : texts.isHidden}</p>
      <button class="secondary small" type="submit" name="emailVisible" value={String(!isShown)}>
        {isShown ? texts.hide : texts.show}
      </button>
    </form>
  );
}
