import { clientOf } from "../lib/web/client.ts";
import { linkHandlers } from "../lib/web/pages/emailed_link.ts";
import { loginPath } from "../lib/web/pages/next_path.ts";
import { redirectWithNotice } from "../lib/web/pages/notice.ts";
import { currentSession } from "../lib/web/authentication/current_session.ts";
import { define } from "../lib/web/state.ts";
import { confirmEmailChange, findEmailChange } from "../lib/sign_in/email_change.ts";
import { LinkPage } from "../lib/ui/form/LinkPage.tsx";
import { textsIn } from "../lib/texts/texts.ts";

export const handler = linkHandlers({
  find: findEmailChange,
  async use(ctx, token) {
    const { userId, email } = await confirmEmailChange(ctx.state.services, token, clientOf(ctx));
    const session = await currentSession(ctx);
    return session?.user.id === userId
      ? redirectWithNotice(ctx, "/settings/email", "email_changed")
      : redirectWithNotice(ctx, loginPath(email, null), "email_changed_log_in");
  },
});

export default define.page<typeof handler>(function ConfirmEmailPage({ data, state }) {
  const catalog = textsIn(state.language);
  const { confirm: texts, title } = catalog.email;
  const { token } = data;
  const isTaken = data.code === "EMAIL_TAKEN";
  const email = data.found?.isAllowed && !isTaken ? data.found.email : null;
  const isRefused = data.found?.isAllowed === false;
  return (
    <LinkPage
      {...{ token, texts, catalog }}
      path="/confirm-email"
      message={data.message}
      deadMessage={isTaken ? texts.taken : isRefused ? texts.notAllowed : undefined}
      otherWay={{ href: "/settings/email", text: title }}
    >
      {email === null ? null : (
        <>
          <p>{texts.question({ email })}</p>
          <p>{texts.lead}</p>
        </>
      )}
    </LinkPage>
  );
});
