import { asset } from "fresh/runtime";
import { type Language, textsIn } from "../../texts/texts.ts";
import { DOT, Moment } from "./Origin.tsx";
import { Row } from "../list/Row.tsx";
import { Times } from "../list/Times.tsx";
import { PasskeyPart, type PasskeyPlace } from "./PasskeyRequest.tsx";
import { Isolated } from "../Isolated.tsx";

interface ListedPasskey {
  id: string;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  isBackedUp: boolean;
  credentialId: string;
}

interface PasskeyListProps {
  passkeys: ListedPasskey[];
  max: number;
  place: PasskeyPlace;
  /**
   * The id of the user for authenticators, if they have just removed a passkey. The browser then learns which are left.
   */
  removedBy: string | null;
  language: Language;
}

/** The passkeys of one's own account, and the link that adds one. */
export function PasskeyList({ passkeys, max, place, removedBy, language }: PasskeyListProps) {
  const { passkeys: passkeyTexts } = textsIn(language);
  const path = "/settings/sign-in-methods/passkeys";
  return (
    <section
      class="card"
      data-accepted-passkeys={removedBy === null ? undefined : accepted(passkeys, place, removedBy)}
    >
      <Times locale={language.locale} />
      {removedBy !== null && <script defer src={asset("/accepted_passkeys.js")} />}
      <h2>{passkeyTexts.title}</h2>
      <p>{passkeys.length === 0 ? `${passkeyTexts.lead} ${passkeyTexts.none}` : passkeyTexts.lead}</p>
      {passkeys.length > 0 && (
        <ul class="rows">
          {passkeys.map((passkey) => (
            <Row
              key={passkey.id}
              icon="key"
              title={
                <h3>
                  <Isolated>{passkey.name}</Isolated>
                </h3>
              }
              action={
                <p class="actions">
                  <a href={`${path}/${passkey.id}/rename`} aria-label={passkeyTexts.renameOf({ name: passkey.name })}>
                    {passkeyTexts.rename}
                  </a>
                  <a href={`${path}/${passkey.id}/remove`} aria-label={passkeyTexts.removeOf({ name: passkey.name })}>
                    {passkeyTexts.remove}
                  </a>
                </p>
              }
            >
              <PasskeyFacts passkey={passkey} language={language} />
            </Row>
          ))}
        </ul>
      )}
      {passkeys.length >= max
        ? <p>{passkeyTexts.full({ max })}</p>
        : (
          <PasskeyPart place={place} missing={passkeyTexts.missing} noScripts={passkeyTexts.noScripts}>
            <a class="button secondary" href={`${path}/add`}>{passkeyTexts.add}</a>
          </PasskeyPart>
        )}
    </section>
  );
}

function PasskeyFacts({ passkey: { createdAt, lastUsedAt, isBackedUp }, language }: {
  passkey: ListedPasskey;
  language: Language;
}) {
  const { passkeys: passkeyTexts } = textsIn(language);
  return (
    <p class="meta">
      {passkeyTexts.added} <Moment date={createdAt} locale={language.locale} />
      {DOT}
      {lastUsedAt === null ? passkeyTexts.neverUsed : (
        <>
          {passkeyTexts.lastUsed} <Moment date={lastUsedAt} locale={language.locale} />
        </>
      )}
      {isBackedUp && DOT + passkeyTexts.synced}
    </p>
  );
}

/**
 * Returns the passkeys that are left, as JSON for the browser. Source: WebAuthn Level 3, 5.1.10
 * (signalAllAcceptedCredentials).
 */
function accepted(passkeys: ListedPasskey[], { rpId }: PasskeyPlace, userId: string): string {
  return JSON.stringify({ rpId, userId, allAcceptedCredentialIds: passkeys.map(({ credentialId }) => credentialId) });
}
