import { DEVICE_PATH } from "../../../lib/authorization_server/device/device_request.ts";
import type { RegisteredClient } from "../../../lib/config/registered_client.ts";
import { type Language, textsIn } from "../../../lib/texts/texts.ts";
import { AccountLine } from "../../../lib/ui/account/AccountLine.tsx";
import { FormId } from "../../../lib/ui/form/FormId.tsx";
import { Page } from "../../../lib/ui/Page.tsx";
import type { User } from "../../../lib/users/user_row.ts";

interface NoDeviceAccessPageProps {
  client: RegisteredClient;
  user: User;
  userCode: string;
  language: Language;
}

/** Says that someone is in none of the groups that may use the app of a device. */
export function NoDeviceAccessPage({ client: { name: app }, user, userCode, language }: NoDeviceAccessPageProps) {
  const { noAccess, consent } = textsIn(language).authorize;
  return (
    <Page title={noAccess.title({ app })} isAuth>
      <p>{noAccess.advice({ app })}</p>
      <AccountLine {...user} />
      <form method="post" action={DEVICE_PATH}>
        <FormId />
        <input type="hidden" name="user" value={user.id} />
        <input type="hidden" name="userCode" value={userCode} />
        <button type="submit" name="answer" value="cancel">{consent.cancel}</button>
      </form>
    </Page>
  );
}
