import type { RegisteredClient } from "../../../../lib/config/registered_client.ts";
import type { Texts } from "../../../../lib/texts/texts.ts";
import { AccountLine } from "../../../../lib/ui/account/AccountLine.tsx";
import { Page } from "../../../../lib/ui/Page.tsx";
import type { User } from "../../../../lib/users/user_row.ts";
import { AnswerButton, AnswerForm } from "./AnswerForm.tsx";

interface AccountChoicePageProps {
  client: RegisteredClient;
  user: User;
  action: string;
  texts: Texts;
}

/** Asks which account someone wants to use with an app. */
export function AccountChoicePage({ client: { name: app }, user, action, texts }: AccountChoicePageProps) {
  const { choice, consent } = texts.authorize;
  return (
    <Page title={choice.title} isAuth>
      <p>{choice.lead({ app })}</p>
      <AccountLine {...user} />
      <AnswerForm action={action} user={user}>
        <AnswerButton value="continue">{choice.continue({ name: user.name })}</AnswerButton>
        <AnswerButton value="other" look="secondary">{consent.other}</AnswerButton>
      </AnswerForm>
    </Page>
  );
}
