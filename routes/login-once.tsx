import { type Context, page, type PageResponse } from "fresh";
import { ADD_WAY_PAGE, isLoginLinkValid, LOGIN_LINK_PAGE, logInWithLink } from "../lib/sign_in/login_link.ts";
import { redirectSignedIn } from "../lib/web/authentication/sign_in_response.ts";
import { sessionClientOf } from "../lib/web/client.ts";
import { LINK_PAGE_HEADERS } from "../lib/web/middleware/no_index.ts";
import { type FormState, linkForm, submitForm } from "../lib/web/pages/form.ts";
import { withNext } from "../lib/web/pages/next_path.ts";
import { redirectToProviderOfLink } from "../lib/web/pages/provider_of_link.ts";
import { withData } from "../lib/web/pages/page_data.ts";
import { pageHandlers } from "../lib/web/pages/page_handlers.ts";
import { define, type State } from "../lib/web/state.ts";
import { LoginLinkSchema } from "../lib/sign_in/schema.ts";
import { FormId } from "../lib/ui/form/FormId.tsx";
import { FormMessage } from "../lib/ui/form/FormMessage.tsx";
import { Page } from "../lib/ui/Page.tsx";
import { textsIn } from "../lib/texts/texts.ts";

export const handler = pageHandlers({ who: "everyone", whileClosing: "open", limit: "guess" }, {
  async GET(ctx) {
    const form = linkForm(ctx.url);
    return await redirectToProviderOfLink(ctx, form) ?? withLink(ctx, page(form, { headers: LINK_PAGE_HEADERS }));
  },
  async POST(ctx) {
    const result = await submitForm(ctx, LoginLinkSchema, async (input) => {
      const { next, session } = await logInWithLink(ctx.state.services, input, await sessionClientOf(ctx));
      return redirectSignedIn(ctx, session, { next: withNext(ADD_WAY_PAGE, next) });
    });
    return await withLink(ctx, result);
  },
});

/** Adds whether the link works. */
function withLink(ctx: Context<State>, result: Response | PageResponse<FormState>) {
  return withData(result, async ({ values: { email, token } }) => ({
    isValid: Boolean(token) && await isLoginLinkValid(ctx.state.services, { email, token }),
  }));
}

export default define.page<typeof handler>(function LoginOncePage({ data, state }) {
  const { values: { email, token }, isValid, message, details } = data;
  const { signIn, frame, errors } = textsIn(state.language);
  const { title, lead, submit } = signIn.loginOnce;
  const problem = isValid ? message : errors.deadLink;
  return (
    <Page title={title} windowTitle={problem && frame.titleWithError({ title })} isAuth>
      <FormMessage message={problem} details={details} labels={{}} />
      {isValid
        ? (
          <>
            <p>{lead({ email })}</p>
            <form method="post" action={LOGIN_LINK_PAGE}>
              <FormId />
              <input type="hidden" name="email" value={email} />
              <input type="hidden" name="token" value={token} />
              <button type="submit">{submit}</button>
            </form>
          </>
        )
        : <a class="button" href="/login">{signIn.login.title}</a>}
    </Page>
  );
});
