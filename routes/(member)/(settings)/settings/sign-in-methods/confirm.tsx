import { type Context, page, type PageResponse } from "fresh";
import { providerName } from "../../../../../lib/accounts/identities.ts";
import { explainRefusal, LINK } from "../../../../../lib/web/authentication/idp_sign_in.ts";
import { type FormState, submitForm, tokenForm } from "../../../../../lib/web/pages/form.ts";
import { withData, withUser } from "../../../../../lib/web/pages/page_data.ts";
import { redirectWithNotice } from "../../../../../lib/web/pages/notice.ts";
import { requirePrincipal } from "../../../../../lib/web/authentication/require_user.ts";
import { pageHandlers } from "../../../../../lib/web/pages/page_handlers.ts";
import { define, type State } from "../../../../../lib/web/state.ts";
import { LinkTokenSchema } from "../../../../../lib/sign_in/schema.ts";
import {
  findWaitingIdentity,
  linkIdentity,
  SIGN_IN_METHODS_PAGE,
} from "../../../../../lib/sign_in/providers/identity_link.ts";
import { FormId } from "../../../../../lib/ui/form/FormId.tsx";
import { Page } from "../../../../../lib/ui/Page.tsx";
import { textsIn } from "../../../../../lib/texts/texts.ts";

const EXPIRED = `${SIGN_IN_METHODS_PAGE}?error=expired`;

export const handler = pageHandlers({ who: "member", whileClosing: "refused", limit: "security" }, {
  async GET(ctx) {
    const form = tokenForm(ctx.url);
    const identity = await findWaitingIdentity(
      ctx.state.services,
      await requirePrincipal(ctx),
      form.values.token ?? "",
    );
    if (identity === null) return ctx.redirect(EXPIRED, 303);
    return await withProvider(ctx, page<FormState>({ ...form, values: { ...form.values, ...identity } }));
  },
  async POST(ctx) {
    const result = await submitForm(ctx, LinkTokenSchema, async ({ token }) => {
      const { services } = ctx.state;
      const principal = await requirePrincipal(ctx);
      const identity = await findWaitingIdentity(services, principal, token);
      return await explainRefusal(ctx, { goal: LINK, key: identity?.provider }, async () => {
        await linkIdentity(services, principal, token);
        return redirectWithNotice(ctx, SIGN_IN_METHODS_PAGE, "identity_added");
      });
    }, {
      redirectOnError(error) {
        // It says nothing about the token.
        if (error.is("RATE_LIMITED")) throw error;
        return ctx.redirect(EXPIRED, 303);
      },
    });
    return await withProvider(ctx, result);
  },
});

/** Adds the person, and the name of the provider to link. */
async function withProvider(ctx: Context<State>, result: Response | PageResponse<FormState>) {
  const { config } = ctx.state.services;
  return await withData(await withUser(ctx, result), ({ values }) => ({
    provider: providerName(config, values.provider ?? ""),
  }));
}

/** Asks before linking, because the provider may have signed in someone else than the person expects. */
export default define.page<typeof handler>(function ConfirmIdentityPage({ data: { values, user, provider }, state }) {
  const { signInMethods: texts } = textsIn(state.language).settings;
  return (
    <Page title={texts.addTitle({ provider })}>
      <p>{texts.confirmLead({ provider, identity: values.email ?? "", email: user.email })}</p>
      <form method="post" action={`${SIGN_IN_METHODS_PAGE}/confirm`}>
        <FormId />
        <input type="hidden" name="token" value={values.token} />
        <div class="actions">
          <button type="submit">{texts.addOf({ provider })}</button>
          <a class="button secondary" href={SIGN_IN_METHODS_PAGE}>{texts.dontAdd}</a>
        </div>
      </form>
    </Page>
  );
});
