import { type Context, page, type PageResponse } from "fresh";
import { inviteUser } from "../../lib/accounts/invitation.ts";
import { EMPTY_FORM, type FormState, submitForm } from "../../lib/web/pages/form.ts";
import { isInvitationTarget, pageAfterInvitation } from "../../lib/accounts/return_address.ts";
import { withNext } from "../../lib/web/pages/next_path.ts";
import { withData } from "../../lib/web/pages/page_data.ts";
import { redirectWithNotice } from "../../lib/web/pages/notice.ts";
import { requireUser, requireVerifiedCaller } from "../../lib/web/authentication/require_user.ts";
import { pageHandlers } from "../../lib/web/pages/page_handlers.ts";
import { define, type State } from "../../lib/web/state.ts";
import { InvitationSchema } from "../../lib/sign_in/schema.ts";
import { ResendLink } from "../../lib/ui/account/ResendLink.tsx";
import { EmailField } from "../../lib/ui/form/EmailField.tsx";
import { Field } from "../../lib/ui/form/Field.tsx";
import { FormId } from "../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../lib/ui/form/FormMessage.tsx";
import { Page } from "../../lib/ui/Page.tsx";
import { durationText } from "../../lib/texts/date_format.ts";
import { orList } from "../../lib/texts/formats.ts";
import { type Language, textsIn } from "../../lib/texts/texts.ts";
import { seesPeople } from "../../lib/users/user_visibility.ts";

const PATH = "/invite";

export const handler = pageHandlers({ who: "member", whileClosing: "refused", limit: "mail" }, {
  GET: (ctx) => withRules(ctx, page(EMPTY_FORM)),
  async POST(ctx) {
    const result = await submitForm(ctx, InvitationSchema, async (input) => {
      const next = pageAfterInvitation(input.next, ctx.state.services.config);
      await inviteUser(ctx.state.services, await requireVerifiedCaller(ctx), { ...input, next });
      return redirectWithNotice(ctx, withNext(PATH, input.next || null), "invitation_sent");
    }, { errorText: ({ code }, { invite: { problems } }) => (problems as Partial<Record<typeof code, string>>)[code] });
    return await withRules(ctx, result);
  },
});

/** Adds why the person cannot invite anyone, if so, and what the page says about invitations. */
function withRules(ctx: Context<State>, result: Response | PageResponse<FormState>) {
  return withData(result, async () => {
    const { config } = ctx.state.services;
    const user = await requireUser(ctx);
    const obstacle = config.registration === "closed"
      ? "REGISTRATION_CLOSED" as const
      : user.emailVerified
      ? undefined
      : "EMAIL_NOT_VERIFIED" as const;
    // A product that leads here may say where the newcomer is to arrive. Another address counts as left out.
    const wanted = ctx.url.searchParams.get("next");
    return {
      next: isInvitationTarget(wanted, config) ? wanted : null,
      obstacle,
      email: user.email,
      lifetimeSeconds: config.invitationTtlSeconds,
      domains: config.allowedEmailDomains,
      hasPeople: seesPeople(user, config),
    };
  });
}

export default define.page<typeof handler>(function InvitePage({ data, state: { language } }) {
  const { values, message, details, next, obstacle, email, lifetimeSeconds, domains, hasPeople } = data;
  const { frame, invite: texts, people, signIn } = textsIn(language);
  const labels = { name: texts.name, email: signIn.email };
  return (
    <Page
      title={texts.title}
      windowTitle={message && frame.titleWithError({ title: texts.title })}
      back={hasPeople ? { href: "/users", text: people.title } : undefined}
    >
      {obstacle !== undefined ? <Obstacle code={obstacle} email={email} language={language} /> : (
        <>
          <p>{texts.lead({ lifetime: durationText(lifetimeSeconds, language.locale) })}</p>
          <form method="post" action={withNext(PATH, next)} novalidate>
            <FormId />
            {next && <input type="hidden" name="next" value={next} />}
            <FormMessage message={message} details={details} labels={labels} />
            <Field
              name="name"
              label={labels.name}
              autocomplete="off"
              required
              value={values.name}
              errors={details.name}
            />
            <EmailField
              label={labels.email}
              autocomplete="off"
              hint={domains.length > 0 ? signIn.emailDomains({ domains: orList(domains, language.locale) }) : undefined}
              value={values.email}
              errors={details.email}
            />
            <button type="submit">{texts.submit}</button>
          </form>
        </>
      )}
    </Page>
  );
});

interface ObstacleProps {
  code: "REGISTRATION_CLOSED" | "EMAIL_NOT_VERIFIED";
  email: string;
  language: Language;
}

/** Why the person cannot invite anyone, and what they can do about it. */
function Obstacle({ code, email, language }: ObstacleProps) {
  const { invite, signIn } = textsIn(language);
  return (
    <div class="card callout warn">
      <p>{invite.problems[code]}</p>
      {code === "EMAIL_NOT_VERIFIED" && (
        <ResendLink email={email} action={withNext("/verify-email", PATH)} texts={signIn} />
      )}
    </div>
  );
}
