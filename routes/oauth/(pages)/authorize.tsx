import { requireRegistrations } from "../../../lib/config/features.ts";
import { textsIn } from "../../../lib/texts/texts.ts";
import { showAuthorize } from "../../../lib/web/authorize/show_authorize.ts";
import { submitAuthorize } from "../../../lib/web/authorize/submit_authorize.ts";
import { methodNotAllowed } from "../../../lib/web/middleware/other_methods.ts";
import { limited } from "../../../lib/web/middleware/rate_limit.ts";
import { define } from "../../../lib/web/state.ts";
import { AccountChoicePage } from "./(_components)/AccountChoicePage.tsx";
import { ConsentPage } from "./(_components)/ConsentPage.tsx";
import { TooOftenPage } from "./(_components)/TooOftenPage.tsx";
import { UntrustedPage } from "./(_components)/UntrustedPage.tsx";

const METHODS = ["GET", "POST", "OPTIONS"];

export const handler = define.handlers({
  GET: showAuthorize,
  POST: limited("authorize", submitAuthorize),
  /** It could not show a page, and must not make a code. */
  HEAD(ctx) {
    requireRegistrations(ctx.state.services.config);
    throw methodNotAllowed(METHODS);
  },
  OPTIONS(ctx) {
    requireRegistrations(ctx.state.services.config);
    return new Response(null, { status: 204, headers: { Allow: METHODS.join(", ") } });
  },
}, { whileClosing: "open" });

export default define.page<typeof handler>(function AuthorizePage({ data, state: { language } }) {
  const texts = textsIn(language);
  switch (data.kind) {
    case "untrusted":
      return <UntrustedPage texts={texts} />;
    case "choice":
      return <AccountChoicePage {...data} texts={texts} />;
    case "consent":
      return <ConsentPage {...data} language={language} />;
    case "tooOften":
      return <TooOftenPage {...data} texts={texts} />;
  }
});
