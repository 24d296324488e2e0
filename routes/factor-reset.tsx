import { clientOf } from "../lib/http/client.ts";
import { linkHandlers } from "../lib/http/pages/emailed_link.ts";
import { redirectWithNotice } from "../lib/http/pages/notice.ts";
import { define } from "../lib/http/state.ts";
import { findFactorReset, startFactorReset } from "../lib/sign_in/second_factor/factor_reset.ts";
import { LinkPage } from "../lib/ui/form/LinkPage.tsx";
import { wordsIn } from "../lib/words/words.ts";

export const handler = linkHandlers(async (ctx, token) => {
  await startFactorReset(ctx.state.services, token, clientOf(ctx));
  return redirectWithNotice(ctx, "/login", "factor_reset_started");
});

export default define.page<typeof handler>(async function FactorResetPage({ data, state: { language, services } }) {
  const catalogue = wordsIn(language);
  const { emails, secondFactor: { reset: words } } = catalogue;
  const { token = "" } = data.values;
  const email = await findFactorReset(services, token);
  return (
    <LinkPage
      {...{ token, words, catalogue }}
      path="/factor-reset"
      message={data.message}
      otherWay={{ href: "/login", text: words.deadLink }}
    >
      {email === null ? null : (
        <>
          <p>{words.lead(emails.lifetime(services.config.factorResetSeconds))}</p>
          <p>{words.email(email)} {words.found}</p>
        </>
      )}
    </LinkPage>
  );
});
