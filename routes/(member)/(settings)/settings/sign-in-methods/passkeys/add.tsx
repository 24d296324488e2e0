import { page } from "fresh";
import { deviceName } from "../../../../../../lib/activity/device_name.ts";
import { redirectWithNotice } from "../../../../../../lib/web/pages/notice.ts";
import { passkeyPlace, requireCredential } from "../../../../../../lib/web/pages/passkeys.ts";
import { askForProof, EMPTY_PROVEN_FORM, submitWithProof } from "../../../../../../lib/web/pages/proof.ts";
import { requirePrincipal } from "../../../../../../lib/web/authentication/require_user.ts";
import { limited } from "../../../../../../lib/web/middleware/rate_limit.ts";
import { define } from "../../../../../../lib/web/state.ts";
import { NewPasskeyFormSchema } from "../../../../../../lib/schemas/passkey.ts";
import { listPasskeys } from "../../../../../../lib/sign_in/passkeys/passkey.ts";
import { addPasskey, MAX_PASSKEYS } from "../../../../../../lib/sign_in/passkeys/passkey_addition.ts";
import { SIGN_IN_METHODS_PAGE } from "../../../../../../lib/sign_in/providers/identity_link.ts";
import { PasskeyRequest } from "../../../../../../lib/ui/account/PasskeyRequest.tsx";
import { ProofFields, proofLabels } from "../../../../../../lib/ui/account/ProofFields.tsx";
import { Field } from "../../../../../../lib/ui/form/Field.tsx";
import { FormId } from "../../../../../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../../../../../lib/ui/form/FormMessage.tsx";
import { Page } from "../../../../../../lib/ui/Page.tsx";
import { textsIn } from "../../../../../../lib/texts/texts.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { services, language } = ctx.state;
    const principal = await requirePrincipal(ctx);
    const { length } = await listPasskeys(services, principal);
    if (length >= MAX_PASSKEYS) return ctx.redirect(SIGN_IN_METHODS_PAGE, 303);
    const device = deviceName(principal.client.userAgent, language);
    const passkeyName = textsIn(language).passkeys.addition.defaultName(device);
    return await askForProof(ctx) ?? page({ ...EMPTY_PROVEN_FORM, values: { passkeyName } });
  },
  POST: limited(
    "security",
    (ctx) =>
      submitWithProof(ctx, NewPasskeyFormSchema, async ({ passkeyName: name, credential }, principal) => {
        await addPasskey(ctx.state.services, principal, { name, credential: requireCredential(credential) });
        return redirectWithNotice(ctx, SIGN_IN_METHODS_PAGE, "passkey_added");
      }, {
        // The challenge in the credential was issued after a proof.
        needsProof: ({ credential }) => credential === null,
        redirectOnError: ({ code }) => code === "TOO_MANY" ? ctx.redirect(SIGN_IN_METHODS_PAGE, 303) : null,
        errorText: ({ code }, { passkeys }) => code === "VALIDATION_FAILED" ? passkeys.addition.again : undefined,
      }),
  ),
});

export default define.page<typeof handler>(function AddPasskeyPage({ data, url, state }) {
  const { values, message, proof } = data;
  const { frame, passkeys: passkeyTexts, proof: proofTexts } = textsIn(state.language);
  const { addition: texts } = passkeyTexts;
  const details: typeof data.details = {
    ...data.details,
    ...data.details.credential && { credential: [texts.refused] },
  };
  const labels = { passkeyName: texts.name, credential: passkeyTexts.title, ...proofLabels(proofTexts) };
  return (
    <Page title={texts.title} windowTitle={message && frame.titleWithError(texts.title)} isNarrow>
      <p>{texts.lead}</p>
      <form method="post" action={`${SIGN_IN_METHODS_PAGE}/passkeys/add`} novalidate>
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
        <ProofFields proof={proof} details={details} texts={proofTexts} />
        <PasskeyRequest
          kind="create"
          name="credential"
          label={texts.submit}
          isSubmitButton
          place={passkeyPlace({ url, state })}
          missing={passkeyTexts.missing}
          noScripts={passkeyTexts.noScripts}
          problems={texts.problems}
        />
      </form>
      <p>
        <a href={SIGN_IN_METHODS_PAGE}>{texts.back}</a>
      </p>
    </Page>
  );
});
