export interface IdpLinkProps {
  /** What people call the provider; without one there is no link. */
  name?: string;
}

/** Leads to the identity provider. A link: the policy `form-action` would stop a form at the provider's door. */
export function IdpLink({ name }: IdpLinkProps) {
  if (name === undefined) return null;
  return (
    <p class="idp">
      <a class="button secondary" href="/auth/idp">Continue with {name}</a>
    </p>
  );
}
