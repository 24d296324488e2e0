import { type Context, page, type PageResponse } from "fresh";
import { inviteUser } from "../../lib/accounts/invitation.ts";
import { EMPTY_FORM, type FormState, submitForm } from "../../lib/web/pages/form.ts";
import { withData } from "../../lib/web/pages/page_data.ts";
import { redirectWithNotice } from "../../lib/web/pages/notice.ts";
import { limited } from "../../lib/web/middleware/rate_limit.ts";
import { requireUser, requireVerifiedCaller } from "../../lib/web/authentication/require_user.ts";
import { define, type State } from "../../lib/web/state.ts";
import { InvitationSchema } from "../../lib/schemas/account.ts";
import { EmailField } from "../../lib/ui/form/EmailField.tsx";
import { Field } from "../../lib/ui/form/Field.tsx";
import { FormId } from "../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../lib/ui/form/FormMessage.tsx";
import { Page } from "../../lib/ui/Page.tsx";
import { durationText } from "../../lib/texts/date_format.ts";
import { orList } from "../../lib/texts/formats.ts";
import { textsIn } from "../../lib/texts/texts.ts";
import { seesPeople } from "../../lib/users/user_visibility.ts";

const PATH = "/invite";

export const handler = define.handlers({
  GET: (ctx) => withRules(ctx, page(EMPTY_FORM)),
  POST: limited("mail", async (ctx) => {
    const result = await submitForm(ctx, InvitationSchema, async (input) => {
      await inviteUser(ctx.state.services, await requireVerifiedCaller(ctx), input);
      return redirectWithNotice(ctx, PATH, "invitation_sent");
    }, { errorText: ({ code }, { invite: { problems } }) => (problems as Partial<Record<typeof code, string>>)[code] });
    return await withRules(ctx, result);
  }),
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
    return {
      obstacle,
      lifetimeSeconds: config.invitationTtlSeconds,
      domains: config.allowedEmailDomains,
      hasPeople: seesPeople(user, config),
    };
  });
}

export default define.page<typeof handler>(function InvitePage({ data, state: { language } }) {
  const { values, message, details, obstacle, lifetimeSeconds, domains, hasPeople } = data;
  const { frame, invite: texts, people, signIn } = textsIn(language);
  const labels = { name: texts.name, email: signIn.email };
  return (
    <Page
      title={texts.title}
      windowTitle={message && frame.titleWithError({ title: texts.title })}
      back={hasPeople ? { href: "/users", text: people.backToPeople } : undefined}
    >
      {obstacle !== undefined ? <p class="card callout warn">{texts.problems[obstacle]}</p> : (
        <>
          <p>{texts.lead({ lifetime: durationText(lifetimeSeconds, language.locale) })}</p>
          <form method="post" action={PATH} novalidate>
            <FormId />
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
