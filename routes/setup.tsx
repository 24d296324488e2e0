import type { ComponentChild } from "preact";
import { type Context, page } from "fresh";
import { requireSetupToken, SETUP_PAGE } from "../lib/accounts/first_admin.ts";
import PasswordField from "../islands/PasswordField.tsx";
import { mayUsePassword } from "../lib/config/passwords_setting.ts";
import { ADD_WAY_PAGE } from "../lib/sign_in/login_link.ts";
import { signInLinks } from "../lib/web/authentication/idp_sign_in.ts";
import { IdpLinksAbove } from "../lib/ui/IdpLinks.tsx";
import { becomeFirstAdmin, createFirstAdmin } from "../lib/sign_in/setup.ts";
import { ButtonFormSchema, firstAdminForm } from "../lib/sign_in/schema.ts";
import { currentSession } from "../lib/web/authentication/current_session.ts";
import { withSessionCookie } from "../lib/web/authentication/session_cookie.ts";
import { sessionClientOf } from "../lib/web/client.ts";
import { LINK_PAGE_HEADERS } from "../lib/web/middleware/no_index.ts";
import { submitForm } from "../lib/web/pages/form.ts";
import { withNext } from "../lib/web/pages/next_path.ts";
import { askForProof, EMPTY_PROVEN_FORM, type ProvenFormState, submitWithProof } from "../lib/web/pages/proof.ts";
import { pageHandlers } from "../lib/web/pages/page_handlers.ts";
import { withData } from "../lib/web/pages/page_data.ts";
import { define, type State } from "../lib/web/state.ts";
import { ProofFields, proofLabels } from "../lib/ui/account/ProofFields.tsx";
import { EmailField } from "../lib/ui/form/EmailField.tsx";
import { Field } from "../lib/ui/form/Field.tsx";
import { FormId } from "../lib/ui/form/FormId.tsx";
import { FormMessage } from "../lib/ui/form/FormMessage.tsx";
import { RequiredProvider } from "./(_components)/RequiredProvider.tsx";
import { Isolated } from "../lib/ui/Isolated.tsx";
import { Page } from "../lib/ui/Page.tsx";
import { passwordTexts } from "../lib/texts/password_texts.ts";
import { textsIn } from "../lib/texts/texts.ts";

/** What works and what is missing, for the new admin. */
const NEXT_PAGE = "/admin/setup";
/** The parameter of the form for a person who has an account. */
const OWN = "own";

export const handler = pageHandlers({
  who: "everyone",
  whileClosing: "refused",
  limit: { none: "The link works once, and only who runs the service has it" },
}, {
  async GET(ctx) {
    await requireSetupToken(ctx.state.services, tokenOf(ctx));
    if (await currentSession(ctx) === null) return page(EMPTY_PROVEN_FORM, { headers: LINK_PAGE_HEADERS });
    return await askForProof(ctx) ?? page(EMPTY_PROVEN_FORM, { headers: LINK_PAGE_HEADERS });
  },
  async POST(ctx) {
    const result = await (ctx.url.searchParams.has(OWN) ? submitOwnAccount(ctx) : submitNewAdmin(ctx));
    // Afterward, because the second click of a double click gets the response to the first, which has spent the link.
    if (!(result instanceof Response)) await requireSetupToken(ctx.state.services, tokenOf(ctx));
    return result;
  },
});

async function submitOwnAccount(ctx: Context<State>) {
  return await submitWithProof(ctx, ButtonFormSchema, async (_input, principal) => {
    await becomeFirstAdmin(ctx.state.services, principal, tokenOf(ctx));
    return ctx.redirect(NEXT_PAGE, 303);
  });
}

async function submitNewAdmin(ctx: Context<State>) {
  const { services } = ctx.state;
  const token = tokenOf(ctx);
  const hasPassword = mayUsePassword(services.config, "first");
  const result = await submitForm(ctx, firstAdminForm({ hasPassword }), async ({ name, email, password }) => {
    const session = await createFirstAdmin(services, { token, name, email, password }, await sessionClientOf(ctx));
    const path = hasPassword ? NEXT_PAGE : withNext(ADD_WAY_PAGE, NEXT_PAGE);
    return withSessionCookie(ctx.redirect(path, 303), session, services);
  });
  return await withData(result, () => ({ proof: null }));
}

function tokenOf({ url }: Context<State>): string | null {
  return url.searchParams.get("token");
}

export default define.page<typeof handler>(function SetupPage({ data, url, state }) {
  const { frame, setup: texts } = textsIn(state.language);
  const path = `${SETUP_PAGE}?${new URLSearchParams({ token: url.searchParams.get("token") ?? "" })}`;
  return (
    <Page title={texts.title} windowTitle={data.message && frame.titleWithError({ title: texts.title })} isAuth>
      {state.viewer === null
        ? <NewAdminForm data={data} path={path} state={state} />
        : <OwnAccountForm data={data} path={`${path}&${OWN}=`} state={state} />}
    </Page>
  );
});

interface FormProps {
  data: ProvenFormState;
  path: string;
  state: State;
}

function NewAdminForm({ data, path, state }: FormProps) {
  const { values, details, message, code } = data;
  const { language, services } = state;
  const { signIn, setup: texts } = textsIn(language);
  const labels = {
    name: signIn.register.name,
    email: signIn.email,
    emailAgain: texts.emailAgain,
    password: signIn.password,
  };
  const isTaken = code === "EMAIL_TAKEN";
  const hasPassword = mayUsePassword(services.config, "first");
  const login = (children: ComponentChild) => <a href={withNext("/login", path)}>{children}</a>;
  return (
    <>
      <p>{texts.lead}</p>
      {!hasPassword && <IdpLinksAbove links={signInLinks(services.config, path)} texts={signIn} />}
      <form method="post" action={path} novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={labels} />
        <RequiredProvider form={data} next={path} state={state} />
        <Field
          name="name"
          label={labels.name}
          autocomplete="name"
          required
          value={values.name}
          errors={details.name}
        />
        <EmailField
          label={labels.email}
          value={values.email}
          errors={details.email}
          problem={isTaken ? texts.taken({ login }) : undefined}
        />
        <Field
          name="emailAgain"
          type="email"
          inputmode="email"
          label={labels.emailAgain}
          hint={texts.emailAgainHint}
          autocomplete="off"
          required
          value={values.emailAgain}
          errors={details.emailAgain}
        />
        {hasPassword
          ? <PasswordField texts={passwordTexts(language)} label={labels.password} errors={details.password} />
          : <p class="hint">{texts.passkeyNext}</p>}
        <button type="submit">{texts.submit}</button>
      </form>
    </>
  );
}

/** For a person who has an account here and is logged in to it. */
function OwnAccountForm({ data: { details, message, proof }, path, state: { language, viewer } }: FormProps) {
  const catalog = textsIn(language);
  const { setup: texts } = catalog;
  return (
    <>
      <p>{texts.ownLead}</p>
      <p>
        <strong>
          <Isolated>{viewer!.name}</Isolated>
        </strong>
        <br />
        <Isolated isLtr>{viewer!.email}</Isolated>
      </p>
      <form method="post" action={path} novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={proofLabels(catalog.proof)} />
        <ProofFields proof={proof} details={details} texts={catalog} />
        <button type="submit">{texts.ownSubmit}</button>
      </form>
    </>
  );
}
