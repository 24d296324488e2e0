import { clientOf } from "../lib/web/client.ts";
import { linkHandlers } from "../lib/web/pages/emailed_link.ts";
import { redirectWithNotice } from "../lib/web/pages/notice.ts";
import { define } from "../lib/web/state.ts";
import { findFactorReset, startFactorReset } from "../lib/sign_in/second_factor/factor_reset.ts";
import { LinkPage } from "../lib/ui/form/LinkPage.tsx";
import { durationText } from "../lib/texts/date_format.ts";
import { textsIn } from "../lib/texts/texts.ts";

export const handler = linkHandlers({
  async find(services, token) {
    const email = await findFactorReset(services, token);
    return email === null ? null : { email, waitSeconds: services.config.factorResetSeconds };
  },
  async use(ctx, token) {
    await startFactorReset(ctx.state.services, token, clientOf(ctx));
    return redirectWithNotice(ctx, "/login", "factor_reset_started");
  },
});

export default define.page<typeof handler>(function FactorResetPage({ data, state: { language } }) {
  const catalog = textsIn(language);
  const { secondFactor: { reset: texts } } = catalog;
  const { token, found } = data;
  return (
    <LinkPage
      {...{ token, texts, catalog }}
      path="/factor-reset"
      message={data.message}
      otherWay={{ href: "/login", text: texts.deadLink }}
    >
      {found === null ? null : (
        <>
          <p>{texts.lead({ wait: durationText(found.waitSeconds, language.locale) })}</p>
          <p>{texts.email({ email: found.email })} {texts.found}</p>
        </>
      )}
    </LinkPage>
  );
});
