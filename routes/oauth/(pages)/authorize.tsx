import { textsIn } from "../../../lib/texts/texts.ts";
import { showAuthorize } from "../../../lib/web/oauth/show_authorize.ts";
import { submitAuthorize } from "../../../lib/web/oauth/submit_authorize.ts";
import { pageHandlers } from "../../../lib/web/pages/page_handlers.ts";
import { define } from "../../../lib/web/state.ts";
import { AccountChoicePage } from "./(_components)/AccountChoicePage.tsx";
import { ConsentPage } from "./(_components)/ConsentPage.tsx";
import { NoAccessPage } from "./(_components)/NoAccessPage.tsx";
import { TooOftenPage } from "./(_components)/TooOftenPage.tsx";
import { UntrustedPage } from "./(_components)/UntrustedPage.tsx";
import { WithheldPage } from "./(_components)/WithheldPage.tsx";

export const handler = pageHandlers({ who: "everyone", whileClosing: "open", limit: "authorize", refusesHead: true }, {
  GET: showAuthorize,
  POST: submitAuthorize,
});

export default define.page<typeof handler>(function AuthorizePage({ data, state: { language, services } }) {
  const texts = textsIn(language);
  switch (data.kind) {
    case "untrusted":
      return <UntrustedPage {...data} texts={texts} />;
    case "withheld":
      return <WithheldPage {...data} texts={texts} />;
    case "choice":
      return <AccountChoicePage {...data} texts={texts} />;
    case "consent":
      return <ConsentPage {...data} language={language} config={services.config} />;
    case "noAccess":
      return <NoAccessPage {...data} texts={texts} />;
    case "tooOften":
      return <TooOftenPage {...data} texts={texts} />;
  }
});
