import type { RegisteredClient } from "../../../../lib/config/registered_client.ts";
import type { Texts } from "../../../../lib/texts/texts.ts";
import { AccountLine } from "../../../../lib/ui/account/AccountLine.tsx";
import { Page } from "../../../../lib/ui/Page.tsx";
import type { User } from "../../../../lib/users/user_row.ts";
import { AnswerButton, AnswerForm } from "./AnswerForm.tsx";

interface NoAccessPageProps {
  client: RegisteredClient;
  user: User;
  action: string;
  texts: Texts;
}

/** Says that someone is in none of the groups that may use an app. */
export function NoAccessPage({ client: { name: app }, user, action, texts: { authorize } }: NoAccessPageProps) {
  const { title, advice } = authorize.noAccess;
  return (
    <Page title={title({ app })} isAuth>
      <p>{advice({ app })}</p>
      <AccountLine {...user} />
      <AnswerForm action={action} user={user}>
        <AnswerButton value="cancel">{authorize.returnTo({ app })}</AnswerButton>
        <AnswerButton value="other" look="secondary">{authorize.consent.other}</AnswerButton>
      </AnswerForm>
    </Page>
  );
}
