import { mayUsePassword } from "../lib/config/passwords_setting.ts";
import { clientOf } from "../lib/web/client.ts";
import { linkHandlers } from "../lib/web/pages/emailed_link.ts";
import { redirectWithNotice } from "../lib/web/pages/notice.ts";
import { define } from "../lib/web/state.ts";
import { findAlertedAddress, reportNotMe } from "../lib/sign_in/not_me.ts";
import { LinkPage } from "../lib/ui/form/LinkPage.tsx";
import { say, type Text } from "../lib/texts/messages.ts";
import { textsIn } from "../lib/texts/texts.ts";

export const handler = linkHandlers({
  find: findAlertedAddress,
  async use(ctx, token) {
    await reportNotMe(ctx.state.services, token, clientOf(ctx));
    return redirectWithNotice(ctx, "/login", "account_secured");
  },
});

export default define.page<typeof handler>(function NotMePage({ data, state }) {
  const catalog = textsIn(state.language);
  const { notMe: texts } = catalog.email;
  const { token, found: email } = data;
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
            {Object.values<Text>(texts.steps).map((step) => <li key={say(step, { email })}>{say(step, { email })}</li>)}
          </ul>
        </>
      )}
    </LinkPage>
  );
});
