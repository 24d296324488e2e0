import type { Words } from "../../words/words.ts";
import { DOT, Moment } from "./Origin.tsx";
import { PasskeyPart, type PasskeyPlace } from "./PasskeyRequest.tsx";

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
  /** The id of the user for authenticators, if they have just removed a passkey. The browser then learns which are left. */
  removedBy: string | null;
  words: Words;
}

/** The passkeys of one's own account, and the link that adds one. */
export function PasskeyList({ passkeys, max, place, removedBy, words }: PasskeyListProps) {
  const { passkeys: texts } = words;
  const path = "/settings/sign-in-methods/passkeys";
  return (
    <section
      class="card"
      data-accepted-passkeys={removedBy === null ? undefined : accepted(passkeys, place, removedBy)}
    >
      <h2>{texts.title}</h2>
      <p>{passkeys.length === 0 ? `${texts.lead} ${texts.none}` : texts.lead}</p>
      {passkeys.length > 0 && (
        <ul class="passkeys">
          {passkeys.map((passkey) => (
            <li key={passkey.id}>
              <h3>
                <bdi>{passkey.name}</bdi>
              </h3>
              <PasskeyFacts passkey={passkey} words={words} />
              <p class="actions">
                <a href={`${path}/${passkey.id}/rename`} aria-label={texts.renameOf(passkey.name)}>{texts.rename}</a>
                <a href={`${path}/${passkey.id}/remove`} aria-label={texts.removeOf(passkey.name)}>{texts.remove}</a>
              </p>
            </li>
          ))}
        </ul>
      )}
      {passkeys.length >= max
        ? <p>{texts.full(max)}</p>
        : (
          <PasskeyPart place={place} missing={texts.missing} noScripts={texts.noScripts}>
            <a class="button secondary" href={`${path}/add`}>{texts.add}</a>
          </PasskeyPart>
        )}
    </section>
  );
}

function PasskeyFacts({ passkey: { createdAt, lastUsedAt, isBackedUp }, words }: {
  passkey: ListedPasskey;
  words: Words;
}) {
  const { passkeys: texts, people } = words;
  return (
    <p class="meta">
      {texts.added} <Moment date={createdAt} words={people} />
      {DOT}
      {lastUsedAt === null ? texts.neverUsed : (
        <>
          {texts.lastUsed} <Moment date={lastUsedAt} words={people} />
        </>
      )}
      {isBackedUp && DOT + texts.synced}
    </p>
  );
}

/** Returns the passkeys that are left, as JSON for the browser. Source: WebAuthn Level 3, 5.1.10 (signalAllAcceptedCredentials). */
function accepted(passkeys: ListedPasskey[], { rpId }: PasskeyPlace, userId: string): string {
  return JSON.stringify({ rpId, userId, allAcceptedCredentialIds: passkeys.map(({ credentialId }) => credentialId) });
}
