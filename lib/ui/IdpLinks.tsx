import type { Words } from "../words/words.ts";

interface IdpLinksProps {
  /** One for each provider. */
  links: { name: string; href: string }[];
  words: Words["signIn"];
}

/** Start a sign-in with an identity provider. Links, because `form-action` would block a form's redirect there. */
export function IdpLinks({ links, words }: IdpLinksProps) {
  return (
    <>
      {links.map(({ name, href }) => (
        <p key={href} class="idp">
          <a class="button secondary" href={href}>{words.continueWith(name)}</a>
        </p>
      ))}
    </>
  );
}
