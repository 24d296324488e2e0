import type { Texts } from "../../texts/texts.ts";

const PAGE = "/settings/sign-in-methods";

interface IdentityCardsProps {
  /** The providers with which the person can log in. */
  linked: { provider: string; name: string; email: string }[];
  /** The providers that can be added. */
  others: { key: string; name: string }[];
  isVerified: boolean;
  /** Whether the only identity is also the only way to log in. */
  isOnlyWay: boolean;
  texts: Texts["settings"]["signInMethods"];
}

/** The identity providers, in the list of sign-in methods. */
export function IdentityCards({ linked, others, isVerified, isOnlyWay, texts }: IdentityCardsProps) {
  return (
    <>
      {linked.map(({ provider, name, email }) => (
        <section key={provider} class="card">
          <h2>{name}</h2>
          <p>{isOnlyWay ? texts.last(name) : texts.linked(name, email)}</p>
          {!isOnlyWay && (
            <p>
              <a class="button secondary" href={pathWith("remove", provider)}>{texts.remove(name)}</a>
            </p>
          )}
        </section>
      ))}
      {others.map(({ key, name }) => (
        <section key={key} class="card">
          <h2>{name}</h2>
          <p>{(isVerified ? texts.notLinked : texts.verifyFirst)(name)}</p>
          {isVerified && (
            <p>
              <a class="button secondary" href={pathWith("add", key)}>{texts.add(name)}</a>
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
