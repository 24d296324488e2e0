import { type Context, page, type PageResponse } from "fresh";
import { withData } from "../../../../../../../lib/web/pages/page_data.ts";
import { redirectWithNotice } from "../../../../../../../lib/web/pages/notice.ts";
import {
  askForProof,
  EMPTY_PROVEN_FORM,
  type ProvenFormState,
  submitWithProof,
} from "../../../../../../../lib/web/pages/proof.ts";
import { backToMethods } from "../../../../../../../lib/web/pages/proven_page.ts";
import { requirePrincipal } from "../../../../../../../lib/web/authentication/require_user.ts";
import { mayUsePassword } from "../../../../../../../lib/config/passwords_setting.ts";
import { pageHandlers } from "../../../../../../../lib/web/pages/page_handlers.ts";
import { define, type State } from "../../../../../../../lib/web/state.ts";
import { ButtonFormSchema } from "../../../../../../../lib/sign_in/schema.ts";
import { NO_ID } from "../../../../../../../lib/schemas/list.ts";
import { getPasskey } from "../../../../../../../lib/sign_in/passkeys/passkey.ts";
import { removePasskey } from "../../../../../../../lib/sign_in/passkeys/passkey_removal.ts";
import { SIGN_IN_METHODS_PAGE } from "../../../../../../../lib/sign_in/providers/identity_link.ts";
import { ActionPage } from "../../../../../../../lib/ui/account/ActionPage.tsx";
import { textsIn } from "../../../../../../../lib/texts/texts.ts";

export const handler = pageHandlers({ who: "member", whileClosing: "refused", limit: "security" }, {
  GET: async (ctx) => withPasskey(ctx, await askForProof(ctx) ?? page(EMPTY_PROVEN_FORM)),
  async POST(ctx) {
    const result = await submitWithProof(ctx, ButtonFormSchema, async (_, principal) => {
      await removePasskey(ctx.state.services, principal, ctx.params.id);
      return redirectWithNotice(ctx, SIGN_IN_METHODS_PAGE, "passkey_removed");
    }, {
      redirectOnError: ctx.params.id === NO_ID ? undefined : backToMethods(ctx, "NOT_FOUND"),
      errorText: ({ code }, { passkeys }) =>
        code === "LAST_SIGN_IN_METHOD" && mayUsePassword(ctx.state.services.config, "first")
          ? passkeys.removal.last
          : undefined,
    });
    return await withPasskey(ctx, result);
  },
});

function withPasskey(ctx: Context<State>, result: Response | PageResponse<ProvenFormState>) {
  return withData(result, async () => ({
    passkey: await getPasskey(ctx.state.services, await requirePrincipal(ctx), ctx.params.id),
  }));
}

export default define.page<typeof handler>(function RemovePasskeyPage({ data, state: { language } }) {
  const catalog = textsIn(language);
  const texts = catalog.passkeys.removal;
  const { id, name } = data.passkey;
  return (
    <ActionPage
      title={texts.title({ name })}
      action={`${SIGN_IN_METHODS_PAGE}/passkeys/${id}/remove`}
      data={data}
      submit={texts.submit}
      isRemoval
      cancel={{ href: SIGN_IN_METHODS_PAGE, text: texts.keep }}
      catalog={catalog}
    >
      <p>{texts.lead}</p>
    </ActionPage>
  );
});
