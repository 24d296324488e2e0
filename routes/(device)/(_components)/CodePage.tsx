import { DEVICE_PATH } from "../../../lib/authorization_server/device/device_request.ts";
import { type Language, textsIn } from "../../../lib/texts/texts.ts";
import { Field } from "../../../lib/ui/form/Field.tsx";
import { FormId } from "../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../lib/ui/form/FormMessage.tsx";
import { Page } from "../../../lib/ui/Page.tsx";
import type { FormState } from "../../../lib/web/pages/form.ts";

/** Asks for the code that a device shows. */
export function CodePage({ form: { values, message, details }, language }: { form: FormState; language: Language }) {
  const { authorize: { device: texts }, frame } = textsIn(language);
  return (
    <Page
      title={texts.title}
      windowTitle={message && frame.titleWithError({ title: texts.title })}
      isAuth
      below={<a href="/">{frame.homePage}</a>}
    >
      <p>{texts.lead}</p>
      <form method="post" action={DEVICE_PATH} novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={{ userCode: texts.code }} />
        <Field
          name="userCode"
          label={texts.code}
          hint={texts.hint}
          autocomplete="off"
          autocapitalize="characters"
          inputmode="text"
          isCode
          required
          autofocus
          value={values.userCode}
          errors={details.userCode}
        />
        <button type="submit">{texts.submit}</button>
      </form>
    </Page>
  );
}
