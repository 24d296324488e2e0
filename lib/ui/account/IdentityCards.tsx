import type { Words } from "../../words/words.ts";

const PAGE = "/settings/sign-in-methods";

interface IdentityCardsProps {
  /** The providers with which the person can log in. */
  linked: { provider: string; name: string; email: string }[];
  /** The providers that can be added. */
  others: { key: string; name: string }[];
  isVerified: boolean;
  /** Whether the only identity is also the only way to log in. */
  isOnlyWay: boolean;
  words: Words["settings"]["signInMethods"];
}

/** The identity providers, in the list of sign-in methods. */
export function IdentityCards({ linked, others, isVerified, isOnlyWay, words }: IdentityCardsProps) {
  return (
    <>
      {linked.map(({ provider, name, email }) => (
        <section key={provider} class="card">
          <h2>{name}</h2>
          <p>{isOnlyWay ? words.last(name) : words.linked(name, email)}</p>
          {!isOnlyWay && (
            <p>
              <a class="button secondary" href={pathWith("remove", provider)}>{words.remove(name)}</a>
            </p>
          )}
        </section>
      ))}
      {others.map(({ key, name }) => (
        <section key={key} class="card">
          <h2>{name}</h2>
          <p>{(isVerified ? words.notLinked : words.verifyFirst)(name)}</p>
          {isVerified && (
            <p>
              <a class="button secondary" href={pathWith("add", key)}>{words.add(name)}</a>
            </p>
          )}
        </section>
      ))}
    </>
  );
}

function pathWith(action: "add" | "remove", provider: string): string {
  return `${PAGE}/${action}?${new URLSearchParams({ provider })}`;
}
