import { AccountLine } from "../../../lib/ui/account/AccountLine.tsx";
import { Page } from "../../../lib/ui/Page.tsx";
import type { Texts } from "../../../lib/texts/texts.ts";
import type { User } from "../../../lib/users/user_row.ts";

interface LogoutQuestionProps {
  /** Who is logged in; null if the cookies of the browser belong to several people. */
  user: Pick<User, "name" | "email" | "avatar"> | null;
  /** The address of the form, with the request of the app. */
  action: string;
  /** Where someone goes who stays logged in. */
  stayHref: string;
  texts: Texts["signIn"]["logout"];
}

/** Asks whether to log out, because the link may come from any site. */
export function LogoutQuestion({ user, action, stayHref, texts }: LogoutQuestionProps) {
  return (
    <Page title={texts.question} isAuth below={<a href={stayHref}>{texts.stay}</a>}>
      {user !== null && <AccountLine {...user} />}
      <p>{texts.lead}</p>
      <form method="post" action={action}>
        <button type="submit" name="answer" value="logout">{texts.submit}</button>
      </form>
    </Page>
  );
}
