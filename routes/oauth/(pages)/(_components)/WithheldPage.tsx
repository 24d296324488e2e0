import type { RegisteredClient } from "../../../../lib/config/registered_client.ts";
import type { Texts } from "../../../../lib/texts/texts.ts";
import { Page } from "../../../../lib/ui/Page.tsx";
import { isClaimable } from "../../../../lib/authorization_server/authorize/redirect_uri.ts";
import { Problem } from "./Problem.tsx";

interface WithheldPageProps {
  client: RegisteredClient;
  /** Where the answer to the app goes. */
  address: string;
  /** What is wrong with the request, in English. */
  problem: string | null;
  texts: Texts;
}

/** Says that an unregistered app got nothing. Only the person goes back to it. */
export function WithheldPage({ client: { name: app }, address, problem, texts: { authorize } }: WithheldPageProps) {
  const { withheld: texts } = authorize;
  return (
    <Page title={texts.title({ app })} isAuth>
      <p>{texts.advice({ app })}</p>
      {problem !== null && <p>{texts.problem}</p>}
      <Problem text={problem} />
      <p class="actions">
        <a class="button secondary" href={address} rel="noreferrer">
          {authorize.returnTo({ app: isClaimable(address) ? app : new URL(address).host })}
        </a>
      </p>
    </Page>
  );
}
