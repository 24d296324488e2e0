import { textsIn } from "../../../lib/texts/texts.ts";
import { showAuthorize } from "../../../lib/web/authorize/show_authorize.ts";
import { submitAuthorize } from "../../../lib/web/authorize/submit_authorize.ts";
import { limited } from "../../../lib/web/middleware/rate_limit.ts";
import { define } from "../../../lib/web/state.ts";
import { AccountChoicePage } from "./(_components)/AccountChoicePage.tsx";
import { ConsentPage } from "./(_components)/ConsentPage.tsx";
import { TooOftenPage } from "./(_components)/TooOftenPage.tsx";
import { UntrustedPage } from "./(_components)/UntrustedPage.tsx";

export const handler = define.handlers({
  GET: showAuthorize,
  POST: limited("authorize", submitAuthorize),
}, { whileClosing: "open", refusesHead: true });

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
