import type { Principal } from "../../../../../../lib/access/principal.ts";
import { deviceName } from "../../../../../../lib/activity/device_name.ts";
import { redirectWithNotice } from "../../../../../../lib/web/pages/notice.ts";
import { passkeyPlace, requireCredential } from "../../../../../../lib/web/pages/passkeys.ts";
import { withData } from "../../../../../../lib/web/pages/page_data.ts";
import { submitWithProof } from "../../../../../../lib/web/pages/proof.ts";
import { backToMethods, showProvenForm } from "../../../../../../lib/web/pages/proven_page.ts";
import { nextPath, withNext } from "../../../../../../lib/web/pages/next_path.ts";
import { pageHandlers } from "../../../../../../lib/web/pages/page_handlers.ts";
import { define } from "../../../../../../lib/web/state.ts";
import { NewPasskeyFormSchema } from "../../../../../../lib/sign_in/passkeys/schema.ts";
import { addPasskey, requirePasskeySpace } from "../../../../../../lib/sign_in/passkeys/passkey_addition.ts";
import { SIGN_IN_METHODS_PAGE } from "../../../../../../lib/sign_in/providers/identity_link.ts";
import { PasskeyRequest } from "../../../../../../lib/ui/account/PasskeyRequest.tsx";
import { ProofFields, proofLabels } from "../../../../../../lib/ui/account/ProofFields.tsx";
import { Field } from "../../../../../../lib/ui/form/Field.tsx";
import { FormId } from "../../../../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../../../../lib/ui/form/FormMessage.tsx";
import { Page } from "../../../../../../lib/ui/Page.tsx";
import { type Language, textsIn } from "../../../../../../lib/texts/texts.ts";

export const handler = pageHandlers(
  { who: "member", whileClosing: "refused", whileWaiting: "open", limit: "security" },
  {
    async GET(ctx) {
      const result = await showProvenForm(ctx, async (principal) => {
        await requirePasskeySpace(ctx.state.services, principal);
        return { values: { passkeyName: defaultName(principal, ctx.state.language) } };
      }, backToMethods(ctx, "TOO_MANY"));
      return await withData(result, () => ({ place: passkeyPlace(ctx) }));
    },
    async POST(ctx) {
      const result = await submitWithProof(
        ctx,
        NewPasskeyFormSchema,
        async ({ passkeyName: name, credential }, principal) => {
          await addPasskey(ctx.state.services, principal, { name, credential: requireCredential(credential) });
          return redirectWithNotice(ctx, nextPath(ctx) ?? SIGN_IN_METHODS_PAGE, "passkey_added");
        },
        {
          // The challenge in the credential was issued after a proof.
          needsProof: ({ credential }) => credential === null,
          redirectOnError: backToMethods(ctx, "TOO_MANY"),
          errorText: ({ code }, { passkeys }) => code === "VALIDATION_FAILED" ? passkeys.addition.again : undefined,
        },
      );
      return await withData(result, () => ({ place: passkeyPlace(ctx) }));
    },
  },
);

function defaultName({ client }: Principal, language: Language): string {
  return textsIn(language).passkeys.addition.defaultName({ device: deviceName(client.userAgent, language) });
}

export default define.page<typeof handler>(function AddPasskeyPage({ data, url, state }) {
  const { values, message, proof, place } = data;
  const catalog = textsIn(state.language);
  const { frame, passkeys: passkeyTexts, proof: proofTexts } = catalog;
  const { addition: texts } = passkeyTexts;
  const details: typeof data.details = {
    ...data.details,
    ...data.details.credential && { credential: [texts.refused] },
  };
  const labels = { passkeyName: texts.name, credential: "", ...proofLabels(proofTexts) };
  return (
    <Page
      title={texts.title}
      windowTitle={message && frame.titleWithError({ title: texts.title })}
      back={{ href: SIGN_IN_METHODS_PAGE, text: catalog.settings.signInMethods.title }}
    >
      <p>{texts.lead}</p>
      <form
        method="post"
        action={withNext(`${SIGN_IN_METHODS_PAGE}/passkeys/add`, nextPath({ url, state }))}
        novalidate
      >
        <FormId />
        <FormMessage message={message} details={details} labels={labels} />
        <Field
          name="passkeyName"
          label={texts.name}
          hint={texts.nameHint}
          autocomplete="off"
          required
          value={values.passkeyName}
          errors={details.passkeyName}
        />
        <ProofFields proof={proof} details={details} texts={catalog} />
        <PasskeyRequest
          kind="create"
          name="credential"
          label={texts.submit}
          isSubmitButton
          place={place}
          missing={passkeyTexts.missing}
          noScripts={passkeyTexts.noScripts}
          problems={texts.problems}
        />
      </form>
    </Page>
  );
});
