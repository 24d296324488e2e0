import type { ComponentChildren } from "preact";
import type { Texts } from "../../texts/texts.ts";
import { Row } from "../list/Row.tsx";
import { Isolated } from "../Isolated.tsx";

const PAGE = "/settings/sign-in-methods";

interface IdentityCardsProps {
  /** The providers with which the person can log in. */
  linked: { provider: string; name: string; email: string }[];
  /** The providers that can be connected. */
  others: { key: string; name: string }[];
  isVerified: boolean;
  /** The key of the provider that SIGN_IN_DOMAINS names for the address, or null. Then only this one must stay. */
  requiredProvider: string | null;
  /** Whether the only identity is also the only way to log in. */
  isOnlyWay: boolean;
  /** Whether someone without a password can get one. */
  hasFirstPasswords: boolean;
  texts: Texts["settings"]["signInMethods"];
}

/** The identity providers, in the list of ways to log in. */
export function IdentityCards(
  { linked, others, isVerified, requiredProvider, isOnlyWay, hasFirstPasswords, texts }: IdentityCardsProps,
) {
  const lastOfAll = hasFirstPasswords ? texts.last : texts.lastWithoutPassword;
  const reason = requiredProvider === null ? lastOfAll : texts.required;
  const mustStay = (provider: string) => requiredProvider === null ? isOnlyWay : provider === requiredProvider;
  if (linked.length + others.length === 0) return null;
  return (
    <section class="card">
      <h2>{texts.providers}</h2>
      <ul class="rows">
        {linked.map(({ provider, name, email }) => (
          <ProviderRow
            key={provider}
            name={name}
            action={!mustStay(provider) &&
              { href: pathWith("remove", provider), text: texts.remove, label: texts.removeOf({ provider: name }) }}
          >
            {mustStay(provider) ? reason({ provider: name }) : texts.linked({ provider: name, email })}
          </ProviderRow>
        ))}
        {others.map(({ key, name }) => (
          <ProviderRow
            key={key}
            name={name}
            action={isVerified &&
              { href: pathWith("add", key), text: texts.add, label: texts.addOf({ provider: name }) }}
          >
            {isVerified ? texts.notLinked : texts.verifyFirst({ provider: name })}
          </ProviderRow>
        ))}
      </ul>
    </section>
  );
}

interface ProviderRowProps {
  name: string;
  /** The label names the provider too. */
  action: { href: string; text: string; label: string } | false;
  children: ComponentChildren;
}

function ProviderRow({ name, action, children }: ProviderRowProps) {
  return (
    <Row
      icon="link"
      title={
        <h3>
          <Isolated>{name[0].toUpperCase() + name.slice(1)}</Isolated>
        </h3>
      }
      action={action && <a class="button secondary small" href={action.href} aria-label={action.label}>{action.text}
      </a>}
    >
      <p class="meta">{children}</p>
    </Row>
  );
}

function pathWith(action: "add" | "remove", provider: string): string {
  return `${PAGE}/${action}?${new URLSearchParams({ provider })}`;
}
