import type { Texts } from "../texts/texts.ts";

interface IdpLinksProps {
  /** One for each provider. */
  links: { name: string; href: string }[];
  texts: Texts["signIn"];
}

/** Start a sign-in with an identity provider. Links, because `form-action` would block a form's redirect there. */
export function IdpLinks({ links, texts }: IdpLinksProps) {
  return (
    <>
      {links.map(({ name, href }) => (
        <p key={href} class="idp">
          <a class="button secondary" href={href}>{texts.continueWith(name)}</a>
        </p>
      ))}
    </>
  );
}
