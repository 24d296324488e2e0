import { linkHandlers } from "../lib/http/pages/emailed_link.ts";
import { redirectWithNotice } from "../lib/http/pages/notice.ts";
import { define } from "../lib/http/state.ts";
import { findWaitingReset, stopFactorReset } from "../lib/sign_in/second_factor/factor_reset.ts";
import { LinkPage } from "../lib/ui/form/LinkPage.tsx";
import { wordsIn } from "../lib/words/words.ts";

export const handler = linkHandlers(async (ctx, token) => {
  await stopFactorReset(ctx.state.services, token);
  return redirectWithNotice(ctx, "/login", "factor_reset_stopped");
});

export default define.page<typeof handler>(async function StopFactorResetPage({ data, state }) {
  const catalogue = wordsIn(state.language);
  const { reset, stop: words } = catalogue.secondFactor;
  const { token = "" } = data.values;
  const dueAt = await findWaitingReset(state.services, token);
  return (
    <LinkPage
      {...{ token, words, catalogue }}
      path="/stop-factor-reset"
      message={data.message}
      otherWay={{ href: "/login", text: reset.deadLink }}
    >
      {dueAt === null ? null : (
        <>
          <p>{words.lead(words.date(dueAt))}</p>
          <p>{words.warning}</p>
        </>
      )}
    </LinkPage>
  );
});
