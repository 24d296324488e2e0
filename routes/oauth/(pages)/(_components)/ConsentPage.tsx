import type { AuthorizeRequest } from "../../../../lib/authorization_server/authorize/authorize_request.ts";
import { isClaimable } from "../../../../lib/authorization_server/authorize/redirect_uri.ts";
import { isOfflineRequest } from "../../../../lib/authorization_server/grant.ts";
import type { UploadsSetting } from "../../../../lib/config/uploads_setting.ts";
import type { RegisteredClient } from "../../../../lib/config/registered_client.ts";
import { type Language, type Texts, textsIn } from "../../../../lib/texts/texts.ts";
import { AccountLine } from "../../../../lib/ui/account/AccountLine.tsx";
import { Isolated } from "../../../../lib/ui/Isolated.tsx";
import { Page } from "../../../../lib/ui/Page.tsx";
import type { User } from "../../../../lib/users/user_row.ts";
import { AllowedList } from "../../../(_components)/AllowedList.tsx";
import { AnswerButton, AnswerForm } from "./AnswerForm.tsx";

interface ConsentPageProps {
  request: AuthorizeRequest;
  user: User;
  action: string;
  language: Language;
  config: UploadsSetting;
}

/** Asks whether an app may get what it asks for. For one of the operator's own, it has one button. */
export function ConsentPage({ request, user, action, language, config }: ConsentPageProps) {
  const { authorize } = textsIn(language);
  const { consent } = authorize;
  const { client, redirectUri } = request;
  const app = client.name;
  const { host } = new URL(redirectUri);
  return (
    <Page title={consent.title({ app })} isAuth below={<Links client={client} texts={consent} />}>
      {client.statedName !== null && <Unregistered client={client} statedName={client.statedName} texts={consent} />}
      {isClaimable(redirectUri) && <p>{consent.appOnDevice({ app })}</p>}
      {!isClaimable(redirectUri) && host !== app && <p>{consent.appOn({ host })}</p>}
      <AccountLine {...user} />
      {!client.isFirstParty && (
        <AllowedList
          app={app}
          scopes={request.scopes}
          resource={request.resource}
          isOffline={isOfflineRequest(client, request.scopes)}
          language={language}
          config={config}
        />
      )}
      <AnswerForm action={action} user={user}>
        {client.isFirstParty ? <AnswerButton value="allow">{authorize.oneButton({ app })}</AnswerButton> : (
          <>
            <AnswerButton value="allow">{consent.allow}</AnswerButton>
            <AnswerButton value="cancel" look="secondary">{consent.cancel}</AnswerButton>
            <AnswerButton value="other" look="quiet">{consent.other}</AnswerButton>
          </>
        )}
      </AnswerForm>
    </Page>
  );
}

interface UnregisteredProps {
  client: RegisteredClient;
  statedName: string;
  texts: Texts["authorize"]["consent"];
}

/** What to know about an unregistered app. Its host is the only thing that is certain. */
function Unregistered({ client: { redirectUris }, statedName, texts }: UnregisteredProps) {
  return (
    <>
      <p>{texts.statedName}</p>
      <p class="person-name">
        <Isolated>{statedName}</Isolated>
      </p>
      {redirectUris.every(isClaimable) && <p>{texts.anyProgram}</p>}
    </>
  );
}

function Links({ client, texts }: { client: RegisteredClient; texts: Texts["authorize"]["consent"] }) {
  const links: [href: string | null, text: string][] = [
    [client.clientUri, texts.about({ app: client.name })],
    [client.policyUri, texts.policy],
    [client.tosUri, texts.terms],
  ];
  return <>{links.map(([href, text]) => href !== null && <a key={href} href={href} rel="noreferrer">{text}</a>)}</>;
}
