import { type Language, textsIn } from "../../../lib/texts/texts.ts";
import { Page } from "../../../lib/ui/Page.tsx";

/** Says that the device goes on. */
export function AnsweredPage({ isAllowed, language }: { isAllowed: boolean; language: Language }) {
  const { authorize: { device: texts }, frame } = textsIn(language);
  return (
    <Page title={texts.return} isAuth>
      <p>{isAllowed ? texts.allowed : texts.denied}</p>
      <p class="actions">
        <a class="button secondary" href="/">{frame.homePage}</a>
      </p>
    </Page>
  );
}
