import type { Context } from "fresh";
import { requireSignInCodes } from "../lib/config/features.ts";
import { CODE_LINK_PAGE, findSignInLink, logInWithCodeLink } from "../lib/sign_in/code_login.ts";
import { findLoginRequest } from "../lib/web/authentication/login_request.ts";
import { redirectSignedIn } from "../lib/web/authentication/sign_in_response.ts";
import { sessionClientOf } from "../lib/web/client.ts";
import { linkHandlers } from "../lib/web/pages/emailed_link.ts";
import { define, type State } from "../lib/web/state.ts";
import { LinkPage } from "../lib/ui/form/LinkPage.tsx";
import { Page } from "../lib/ui/Page.tsx";
import { textsIn } from "../lib/texts/texts.ts";

export const handler = linkHandlers({
  find: (services, token, ctx) => findSignInLink(services, presented(ctx, token)),
  async use(ctx, token) {
    const { services } = ctx.state;
    const link = presented(ctx, token);
    const { session, next } = await logInWithCodeLink(services, link, await sessionClientOf(ctx));
    return redirectSignedIn(ctx, session, { next });
  },
});

/** Without SIGN_IN_CODES there is no such page. */
function presented({ req, state: { services: { config } } }: Context<State>, token: string) {
  requireSignInCodes(config);
  return { token, requestToken: findLoginRequest(req, config) };
}

export default define.page<typeof handler>(function LoginLinkPage({ data, state: { language } }) {
  const catalog = textsIn(language);
  const { loginOnce: texts, loginLink, login } = catalog.signIn;
  const { token, found, message } = data;
  if (found !== null && !found.isHere) {
    return (
      <Page title={texts.title} isAuth>
        <p>{loginLink.elsewhere}</p>
      </Page>
    );
  }
  return (
    <LinkPage
      {...{ token, texts, catalog, message }}
      path={CODE_LINK_PAGE}
      otherWay={{ href: "/login", text: login.title }}
    >
      {found === null ? null : <p>{texts.lead({ email: found.email })}</p>}
    </LinkPage>
  );
});
