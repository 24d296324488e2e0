import type { Context } from "fresh";
import { mayUsePassword } from "../../config/passwords_setting.ts";
import { hasPasskeys } from "../../sign_in/passkeys/passkey.ts";
import type { Services } from "../../services/services.ts";
import type { IdpLink } from "../../ui/IdpLinks.tsx";
import { requiredLink, signInLinks } from "../authentication/idp_sign_in.ts";
import type { State } from "../state.ts";
import { isForUnregistered } from "./destination.ts";
import { nextPath } from "./next_path.ts";

/**
 * Redirects from the login page to the only provider with which someone can log in: that of the address in the query,
 * or that of everyone. Null if there are other ways, or if the person should see the page: after an error, a logout or
 * another notice, to choose an account, because an operator asks for it with `local=1`, or because it names the host of
 * an unregistered app.
 */
export async function straightToProvider(ctx: Context<State>): Promise<Response | null> {
  const { url: { searchParams }, state: { services, notice } } = ctx;
  const isLocal = searchParams.has("error") || searchParams.get("local") === "1" ||
    searchParams.get("prompt") === "select_account";
  if (isLocal || notice !== null) return null;
  const next = nextPath(ctx);
  if (isForUnregistered(next, services.config)) return null;
  const link = requiredLink(services.config, searchParams.get("email") ?? undefined, next) ??
    await findOnlyDoor(services, next);
  return link && ctx.redirect(link.href, 303);
}

async function findOnlyDoor({ config, db }: Services, next: string | null): Promise<IdpLink | null> {
  if (mayUsePassword(config, "open") || config.signInCodes || config.providers.length !== 1) return null;
  return await hasPasskeys(db) ? null : signInLinks(config, next)[0];
}
