import type { AuthorizeRequest } from "../../../../lib/authorization_server/authorize/authorize_request.ts";
import { isClaimable } from "../../../../lib/authorization_server/authorize/redirect_uri.ts";
import { isOfflineRequest } from "../../../../lib/authorization_server/grant.ts";
import type { RegisteredClient, Resource } from "../../../../lib/authorization_server/registered_client.ts";
import { type Language, type Texts, textsIn } from "../../../../lib/texts/texts.ts";
import { AccountLine } from "../../../../lib/ui/account/AccountLine.tsx";
import { Page } from "../../../../lib/ui/Page.tsx";
import type { User } from "../../../../lib/users/user_row.ts";
import { AnswerButton, AnswerForm } from "./AnswerForm.tsx";

interface ConsentPageProps {
  request: AuthorizeRequest;
  user: User;
  action: string;
  language: Language;
}

/** Asks whether an app may get what it asks for. For one of the operator's own, it has one button. */
export function ConsentPage({ request, user, action, language }: ConsentPageProps) {
  const { authorize } = textsIn(language);
  const { consent } = authorize;
  const { client, redirectUri } = request;
  const app = client.name;
  return (
    <Page title={consent.title({ app })} isAuth below={<Links client={client} texts={consent} />}>
      <AccountLine {...user} />
      {!client.isFirstParty && <Allowed request={request} language={language} />}
      <p>
        {isClaimable(redirectUri) ? consent.appOnDevice({ app }) : consent.appOn({ host: new URL(redirectUri).host })}
      </p>
      <AnswerForm action={action} user={user}>
        {client.isFirstParty ? <AnswerButton value="allow">{authorize.oneButton({ app })}</AnswerButton> : (
          <>
            <AnswerButton value="allow">{consent.allow}</AnswerButton>
            <AnswerButton value="cancel" isSecondary>{consent.cancel}</AnswerButton>
            <AnswerButton value="other" isSecondary>{consent.other}</AnswerButton>
          </>
        )}
      </AnswerForm>
    </Page>
  );
}

function Allowed({ request, language }: Pick<ConsentPageProps, "request" | "language">) {
  const { consent } = textsIn(language).authorize;
  const { client: { name: app } } = request;
  return (
    <>
      <h2>{consent.willBeAble({ app })}</h2>
      <ul>{scopeTexts(request, language).map((text) => <li key={text}>{text}</li>)}</ul>
      {isOfflineRequest(request.client, request.scopes) && <p>{consent.offline({ app })}</p>}
    </>
  );
}

/** Says what each scope allows. */
function scopeTexts({ scopes, resource }: AuthorizeRequest, language: Language): string[] {
  const { authorize } = textsIn(language);
  const own: Partial<Record<string, string>> = authorize.scopes;
  const ofResource = scopes.filter((scope) => resource?.scopes.has(scope));
  const texts = scopes.filter((scope) => !ofResource.includes(scope)).map((scope) => own[scope] ?? scope);
  if (resource === null) return texts;
  const { name } = resource;
  if (ofResource.length === 0) return [...texts, authorize.useResource({ name })];
  return [
    ...texts,
    ...ofResource.map((scope) => authorize.ofResource({ name, text: textOf(resource, scope, language) })),
  ];
}

/** The operator's text in this language, else in English, else in the first one. */
function textOf({ scopes }: Resource, scope: string, { tag }: Language): string {
  const text = scopes.get(scope) ?? scope;
  if (typeof text === "string") return text;
  return text[tag] ?? text.en ?? Object.values(text)[0] ?? scope;
}

function Links({ client, texts }: { client: RegisteredClient; texts: Texts["authorize"]["consent"] }) {
  const links: [href: string | null, text: string][] = [
    [client.clientUri, texts.about({ app: client.name })],
    [client.policyUri, texts.policy],
    [client.tosUri, texts.terms],
  ];
  return <>{links.map(([href, text]) => href !== null && <a key={href} href={href} rel="noreferrer">{text}</a>)}</>;
}
