import { linkHandlers } from "../lib/web/pages/emailed_link.ts";
import { redirectWithNotice } from "../lib/web/pages/notice.ts";
import { define } from "../lib/web/state.ts";
import { findWaitingReset, stopFactorReset } from "../lib/sign_in/second_factor/factor_reset.ts";
import { LinkPage } from "../lib/ui/form/LinkPage.tsx";
import { textsIn } from "../lib/texts/texts.ts";

export const handler = linkHandlers({
  find: findWaitingReset,
  async use(ctx, token) {
    await stopFactorReset(ctx.state.services, token);
    return redirectWithNotice(ctx, "/login", "factor_reset_stopped");
  },
});

export default define.page<typeof handler>(function StopFactorResetPage({ data, state }) {
  const catalog = textsIn(state.language);
  const { reset, stop: texts } = catalog.secondFactor;
  const { token, found: dueAt } = data;
  return (
    <LinkPage
      {...{ token, texts, catalog }}
      path="/stop-factor-reset"
      message={data.message}
      otherWay={{ href: "/login", text: reset.deadLink }}
    >
      {dueAt === null ? null : (
        <>
          <p>{texts.lead({ date: dueAt })}</p>
          <p>{texts.warning}</p>
        </>
      )}
    </LinkPage>
  );
});
