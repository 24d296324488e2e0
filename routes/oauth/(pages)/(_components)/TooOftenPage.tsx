import type { RegisteredClient } from "../../../../lib/config/registered_client.ts";
import type { Texts } from "../../../../lib/texts/texts.ts";
import { Page } from "../../../../lib/ui/Page.tsx";

interface TooOftenPageProps {
  client: RegisteredClient;
  /** How long to wait. */
  minutes: number;
  /** The address of the request. */
  action: string;
  texts: Texts;
}

/** Stops a loop between an app and this page. */
export function TooOftenPage({ client: { name: app }, minutes, action, texts }: TooOftenPageProps) {
  const { title, advice, tryAgain } = texts.authorize.tooOften;
  return (
    <Page title={title({ app })} isAuth>
      <p>{advice({ app, minutes })}</p>
      <p class="actions">
        <a class="button" href={action}>{tryAgain}</a>
        <a class="button secondary" href="/">{texts.frame.homePage}</a>
      </p>
    </Page>
  );
}
