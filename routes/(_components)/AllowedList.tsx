import { scopeTexts } from "../../lib/authorization_server/authorize/scope_texts.ts";
import type { Resource } from "../../lib/config/registered_client.ts";
import type { UploadsSetting } from "../../lib/config/uploads_setting.ts";
import { type Language, textsIn } from "../../lib/texts/texts.ts";

interface AllowedListProps {
  /** The name of the app. */
  app: string;
  scopes: string[];
  resource: Resource | null;
  /** Whether the app stays connected when the person logs out. */
  isOffline: boolean;
  language: Language;
  config: UploadsSetting;
}

/** Says in words what an app asks for. */
export function AllowedList({ app, scopes, resource, isOffline, language, config }: AllowedListProps) {
  const { consent } = textsIn(language).authorize;
  const texts = scopeTexts(
    {
      scopes: scopes.filter((scope) => !resource?.scopes.has(scope)),
      resources: resource === null ? [] : [[resource, scopes]],
    },
    language,
    config,
  );
  return (
    <>
      <h2>{consent.willBeAble({ app })}</h2>
      <ul>{texts.map((text) => <li key={text}>{text}</li>)}</ul>
      {isOffline && <p>{consent.offline({ app })}</p>}
    </>
  );
}
