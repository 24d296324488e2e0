import { requiredLink } from "../../lib/web/authentication/idp_sign_in.ts";
import type { FormState } from "../../lib/web/pages/form.ts";
import type { State } from "../../lib/web/state.ts";
import { textsIn } from "../../lib/texts/texts.ts";
import { IdpLinks } from "../../lib/ui/IdpLinks.tsx";

interface RequiredProviderProps {
  form: Pick<FormState, "values" | "code">;
  next: string | null;
  state: State;
}

/** Leads on from a form that was refused because its address needs a provider. */
export function RequiredProvider(
  { form: { values, code }, next, state: { language, services } }: RequiredProviderProps,
) {
  const link = code === "PROVIDER_REQUIRED" ? requiredLink(services.config, values.email, next) : null;
  return link === null ? null : <IdpLinks links={[link]} texts={textsIn(language).signIn} />;
}
