import type { Texts } from "../texts/texts.ts";
import { LAST_USED_ID, LastUsed } from "./account/LastUsed.tsx";
import { ProviderLogo } from "./account/ProviderLogo.tsx";
import { Or } from "./form/Or.tsx";

/** A link that starts a sign-in with an identity provider. */
export interface IdpLink {
  key: string;
  name: string;
  href: string;
}

interface IdpLinksProps {
  /** One for each provider. */
  links: IdpLink[];
  /** The key of the provider to mark as used last. */
  lastUsed?: string;
  texts: Texts["signIn"];
}

/** Start a sign-in with an identity provider. Links, because `form-action` would block a form's redirect there. */
export function IdpLinks({ links, lastUsed, texts }: IdpLinksProps) {
  return (
    <>
      {links.map(({ key, name, href }) => (
        <p key={href} class="idp">
          <a class="button secondary" href={href} aria-describedby={key === lastUsed ? LAST_USED_ID : undefined}>
            <ProviderLogo provider={key} />
            {texts.continueWith({ provider: name })}
            {key === lastUsed && <LastUsed text={texts.lastUsed} />}
          </a>
        </p>
      ))}
    </>
  );
}

/** The same above a form, from which it is separated. */
export function IdpLinksAbove({ links, texts }: IdpLinksProps) {
  return links.length === 0 ? null : (
    <>
      <IdpLinks links={links} texts={texts} />
      <Or text={texts.or} />
    </>
  );
}
