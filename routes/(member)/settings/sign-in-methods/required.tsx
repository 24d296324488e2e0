import { page } from "fresh";
import { findMissingFactor, findSecondFactorDuty } from "../../../../lib/access/second_factor_duty.ts";
import { mayUsePassword } from "../../../../lib/config/passwords_setting.ts";
import { getAccount } from "../../../../lib/accounts/own_account.ts";
import {
  hasRecentProof,
  listSecondFactors,
  listSessionProofs,
  needsOtherProof,
} from "../../../../lib/sign_in/proof.ts";
import { SIGN_IN_METHODS_PAGE } from "../../../../lib/sign_in/providers/identity_link.ts";
import { textsIn } from "../../../../lib/texts/texts.ts";
import { IdpLinks } from "../../../../lib/ui/IdpLinks.tsx";
import { Page } from "../../../../lib/ui/Page.tsx";
import { REQUIRED_PAGE } from "../../../../lib/web/authentication/current_session.ts";
import { signInLinks } from "../../../../lib/web/authentication/idp_sign_in.ts";
import { requirePrincipal } from "../../../../lib/web/authentication/require_user.ts";
import { requiresSecondFactor } from "../../../../lib/web/pages/destination.ts";
import { confirmationPath, nextPath, pageAfterLogin, withNext } from "../../../../lib/web/pages/next_path.ts";
import { pageHandlers } from "../../../../lib/web/pages/page_handlers.ts";
import { define } from "../../../../lib/web/state.ts";

export const handler = pageHandlers({ who: "member", whileClosing: "refused", whileWaiting: "open" }, {
  async GET(ctx) {
    const { services } = ctx.state;
    const principal = await requirePrincipal(ctx);
    const { session, user } = principal;
    const next = nextPath(ctx);
    const duty = await findSecondFactorDuty(services, user);
    const isForApp = await requiresSecondFactor(services, next);
    const hasFactor = (await listSecondFactors(services, user.id)).length > 0;
    // An app that demands one may lead here without being named, as from the page of devices.
    const isMissing = isForApp || await findMissingFactor(services, user) !== null;
    if (hasFactor || !isMissing) return ctx.redirect(next ?? pageAfterLogin(ctx.state), 303);
    const { identities } = await getAccount(services, principal);
    const isProven = await hasRecentProof(services, session, "access");
    const mayProve = isProven || (await listSessionProofs(services, session, "access")).length > 0;
    const proves = !isProven && session.method !== "idp" && await needsOtherProof(services, session, "access");
    const links = proves ? signInLinks(services.config, withNext(REQUIRED_PAGE, next)) : [];
    return page({
      user,
      next,
      // An app that requires one gives no time.
      dueAt: session.isWaiting || isForApp ? null : duty?.dueAt ?? null,
      mayProve,
      // A provider is another way, which the page that asks for a proof does not offer.
      links: links.filter(({ key }) => identities.some(({ provider }) => provider === key)),
    });
  },
});

export default define.page<typeof handler>(function RequiredPage({ data, state }) {
  const { user, next, dueAt, mayProve, links } = data;
  const { closing, secondFactor: { required: texts, section }, signIn } = textsIn(state.language);
  const { passkeys: { arePossible } } = state.services.config;
  const hasReset = mayUsePassword(state.services.config, "first");
  return (
    <Page title={texts.title} isAuth>
      <p>{texts.lead}</p>
      <p>{dueAt === null ? texts.now : texts.until({ date: dueAt })}</p>
      {mayProve
        ? (
          <>
            {user.emailVerified
              ? <Way href={withNext(`${SIGN_IN_METHODS_PAGE}/authenticator`, next)} text={texts.app} />
              : <ConfirmFirst lead={section.verifyFirst} href={confirm(user.email, next)} text={texts.confirm} />}
            {arePossible && (
              <Way href={withNext(`${SIGN_IN_METHODS_PAGE}/passkeys/add`, next)} text={texts.passkey} isSecondary />
            )}
            {links.length > 0 && <p>{texts.proveHere}</p>}
            <IdpLinks links={links} texts={signIn} />
          </>
        )
        : (
          <>
            <p>{texts.prove}</p>
            <IdpLinks links={links} texts={signIn} />
            {hasReset && (
              <Way href={`/forgot-password?${new URLSearchParams({ email: user.email })}`} text={texts.password} />
            )}
          </>
        )}
      {dueAt !== null && <Way href={next ?? pageAfterLogin(state)} text={texts.later} isSecondary />}
      <form method="post" action="/logout">
        <button class="secondary" type="submit">{closing.keep.logOut}</button>
      </form>
    </Page>
  );
});

/** Confirming the address leads back here. */
function confirm(email: string, next: string | null): string {
  return confirmationPath(email, withNext(REQUIRED_PAGE, next));
}

function ConfirmFirst({ lead, href, text }: { lead: string; href: string; text: string }) {
  return (
    <p>
      {lead} <a href={href}>{text}</a>
    </p>
  );
}

function Way({ href, text, isSecondary }: { href: string; text: string; isSecondary?: boolean }) {
  return (
    <p>
      <a class={isSecondary ? "button secondary" : "button"} href={href}>{text}</a>
    </p>
  );
}
