interface IdpLinkProps {
  href: string;
  text: string;
}

/** Starts a sign-in with the identity provider. A link, because `form-action` would block a form's redirect there. */
export function IdpLink({ href, text }: IdpLinkProps) {
  return (
    <p class="idp">
      <a class="button secondary" href={href}>{text}</a>
    </p>
  );
}
