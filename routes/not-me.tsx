import { mayUsePassword } from "../lib/config/passwords_setting.ts";
import { requiredProvider } from "../lib/config/sign_in_domains.ts";
import { clientOf } from "../lib/web/client.ts";
import { linkHandlers } from "../lib/web/pages/emailed_link.ts";
import { loginPath } from "../lib/web/pages/next_path.ts";
import { redirectWithNotice } from "../lib/web/pages/notice.ts";
import { define } from "../lib/web/state.ts";
import { findAlertedAddress, reportNotMe } from "../lib/sign_in/not_me.ts";
import { LinkPage } from "../lib/ui/form/LinkPage.tsx";
import { say, type Text } from "../lib/texts/messages.ts";
import { textsIn } from "../lib/texts/texts.ts";

export const handler = linkHandlers({
  find: findAlertedAddress,
  async use(ctx, token) {
    const { services } = ctx.state;
    const email = await reportNotMe(services, token, clientOf(ctx));
    return requiredProvider(services.config, email) === null
      ? redirectWithNotice(ctx, "/login", "account_secured")
      : redirectWithNotice(ctx, loginPath(email, null), "account_secured_log_in");
  },
});

export default define.page<typeof handler>(function NotMePage({ data, state }) {
  const catalog = textsIn(state.language);
  const { notMe: texts } = catalog.email;
  const { token, found: email } = data;
  const { emailLink, ...others } = texts.steps;
  const isLinkSent = email !== null && requiredProvider(state.services.config, email) === null;
  const steps: Text[] = [...Object.values<Text>(others), ...isLinkSent ? [emailLink] : []];
  return (
    <LinkPage
      token={token}
      texts={texts}
      catalog={catalog}
      path="/not-me"
      message={data.message}
      otherWay={mayUsePassword(state.services.config, "open")
        ? { href: "/forgot-password", text: texts.deadLink }
        : { href: "/login", text: catalog.signIn.login.title }}
    >
      {email === null ? null : (
        <>
          <p>{texts.lead}</p>
          <ul>
            {steps.map((step) => <li key={say(step, { email })}>{say(step, { email })}</li>)}
          </ul>
        </>
      )}
    </LinkPage>
  );
});
