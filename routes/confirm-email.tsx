import { clientOf } from "../lib/http/client.ts";
import { linkHandlers } from "../lib/http/pages/emailed_link.ts";
import { redirectWithNotice } from "../lib/http/pages/notice.ts";
import { define } from "../lib/http/state.ts";
import { confirmEmailChange, findEmailChange } from "../lib/sign_in/email_change.ts";
import { LinkPage } from "../lib/ui/form/LinkPage.tsx";
import { PRODUCT } from "../lib/words/product.ts";
import { wordsIn } from "../lib/words/words.ts";

export const handler = linkHandlers(async (ctx, token) => {
  const userId = await confirmEmailChange(ctx.state.services, token, clientOf(ctx));
  const session = await ctx.state.currentSession();
  return session?.user.id === userId
    ? redirectWithNotice(ctx, "/settings/email", "email_changed")
    : redirectWithNotice(ctx, "/login", "email_changed_log_in");
});

export default define.page<typeof handler>(async function ConfirmEmailPage({ data, state }) {
  const catalogue = wordsIn(state.language);
  const { confirm: words, title } = catalogue.email;
  const { token = "" } = data.values;
  const isTaken = data.code === "EMAIL_TAKEN";
  const email = isTaken ? null : await findEmailChange(state.services, token);
  return (
    <LinkPage
      {...{ token, words, catalogue }}
      path="/confirm-email"
      message={data.message}
      deadMessage={isTaken ? words.taken : undefined}
      otherWay={{ href: "/settings/email", text: title }}
    >
      {email === null ? null : (
        <>
          <p>{words.question(PRODUCT, email)}</p>
          <p>{words.lead}</p>
        </>
      )}
    </LinkPage>
  );
});
