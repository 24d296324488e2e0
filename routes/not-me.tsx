import { clientOf } from "../lib/http/client.ts";
import { linkHandlers } from "../lib/http/pages/emailed_link.ts";
import { redirectWithNotice } from "../lib/http/pages/notice.ts";
import { define } from "../lib/http/state.ts";
import { findAlertedAddress, reportNotMe } from "../lib/sign_in/not_me.ts";
import { LinkPage } from "../lib/ui/form/LinkPage.tsx";
import { PRODUCT } from "../lib/words/product.ts";
import { wordsIn } from "../lib/words/words.ts";

export const handler = linkHandlers(async (ctx, token) => {
  await reportNotMe(ctx.state.services, token, clientOf(ctx));
  return redirectWithNotice(ctx, "/login", "account_secured");
});

export default define.page<typeof handler>(async function NotMePage({ data, state }) {
  const catalogue = wordsIn(state.language);
  const { notMe: words } = catalogue.email;
  const { token = "" } = data.values;
  const email = await findAlertedAddress(state.services, token);
  return (
    <LinkPage
      token={token}
      words={words}
      catalogue={catalogue}
      path="/not-me"
      message={data.message}
      otherWay={{ href: "/forgot-password", text: words.deadLink }}
    >
      {email === null ? null : (
        <>
          <p>{words.lead(PRODUCT)}</p>
          <ul>
            {words.steps(email).map((step) => <li key={step}>{step}</li>)}
          </ul>
        </>
      )}
    </LinkPage>
  );
});
