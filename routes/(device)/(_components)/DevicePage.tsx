import type { ClaimedDevice } from "../../../lib/authorization_server/device/device_answer.ts";
import { DEVICE_PATH } from "../../../lib/authorization_server/device/device_request.ts";
import { deviceName } from "../../../lib/activity/device_name.ts";
import type { UploadsSetting } from "../../../lib/config/uploads_setting.ts";
import { type Language, textsIn } from "../../../lib/texts/texts.ts";
import { AccountLine } from "../../../lib/ui/account/AccountLine.tsx";
import { ProofFields, proofLabels } from "../../../lib/ui/account/ProofFields.tsx";
import { FormId } from "../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../lib/ui/form/FormMessage.tsx";
import { Page } from "../../../lib/ui/Page.tsx";
import type { User } from "../../../lib/users/user_row.ts";
import type { ProvenFormState } from "../../../lib/web/pages/proof.ts";
import { AllowedList } from "../../(_components)/AllowedList.tsx";

/** A device that asks for access, the code that was typed, and for whom it is reserved. */
export interface ShownDevice extends ClaimedDevice {
  userCode: string;
  user: User;
}

interface DevicePageProps {
  shown: ShownDevice;
  form: ProvenFormState;
  language: Language;
  config: UploadsSetting;
}

/** Asks whether a device may get what it asks for. Who asked, and from where, comes first: codes are phished. */
export function DevicePage({ shown, form: { message, details, proof }, language, config }: DevicePageProps) {
  const catalog = textsIn(language);
  const { authorize: { device: texts, consent }, frame } = catalog;
  const { client, user, userCode, address, userAgent, minutesAgo, scopes, resource } = shown;
  const title = texts.question({ app: client.name });
  return (
    <Page title={title} windowTitle={message && frame.titleWithError({ title })} isAuth>
      <p>{texts.askedFrom({ device: deviceName(userAgent, language), address, minutes: minutesAgo })}</p>
      <p class="card callout warn">{texts.warning}</p>
      <AccountLine {...user} />
      <AllowedList
        app={client.name}
        scopes={scopes}
        resource={resource}
        isOffline
        language={language}
        config={config}
      />
      <form method="post" action={DEVICE_PATH} novalidate>
        <FormId />
        <input type="hidden" name="user" value={user.id} />
        <input type="hidden" name="userCode" value={userCode} />
        <FormMessage message={message} details={details} labels={proofLabels(catalog.proof)} />
        <ProofFields proof={proof} details={details} texts={catalog} />
        <button type="submit" name="answer" value="allow">{consent.allow}</button>
        <button class="secondary" type="submit" name="answer" value="cancel">{consent.cancel}</button>
      </form>
    </Page>
  );
}
