import type { ComponentChild } from "preact";
import { type Context, page, type PageResponse } from "fresh";
import { type BrandLink, brandLinks } from "../../lib/brand/links.ts";
import PasswordField from "../../islands/PasswordField.tsx";
import { mayUsePassword } from "../../lib/config/passwords_setting.ts";
import { register } from "../../lib/accounts/registration.ts";
import { sessionClientOf } from "../../lib/web/client.ts";
import { signInLinks } from "../../lib/web/authentication/idp_sign_in.ts";
import { EMPTY_FORM, type FormState, submitForm } from "../../lib/web/pages/form.ts";
import { withData } from "../../lib/web/pages/page_data.ts";
import { nextPath, pageAfterLogin, withNext } from "../../lib/web/pages/next_path.ts";
import { redirectWithNotice } from "../../lib/web/pages/notice.ts";
import { withSessionCookie } from "../../lib/web/authentication/session_cookie.ts";
import { pageHandlers } from "../../lib/web/pages/page_handlers.ts";
import { define, type State } from "../../lib/web/state.ts";
import { RegistrationFormSchema } from "../../lib/sign_in/schema.ts";
import { EmailField } from "../../lib/ui/form/EmailField.tsx";
import { Field } from "../../lib/ui/form/Field.tsx";
import { FormId } from "../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../lib/ui/form/FormMessage.tsx";
import { type IdpLink, IdpLinks, IdpLinksAbove } from "../../lib/ui/IdpLinks.tsx";
import { Page } from "../../lib/ui/Page.tsx";
import type { Tag } from "../../lib/texts/catalog.ts";
import { orList } from "../../lib/texts/formats.ts";
import { passwordTexts } from "../../lib/texts/password_texts.ts";
import { type Texts, textsIn } from "../../lib/texts/texts.ts";
import { addressAudience } from "../../lib/users/user_visibility.ts";

export const handler = pageHandlers({ who: "guest", whileClosing: "refused", limit: "register" }, {
  GET: (ctx) => withWays(ctx, page(EMPTY_FORM)),
  async POST(ctx) {
    const result = await submitForm(ctx, RegistrationFormSchema, async (input) => {
      const { services } = ctx.state;
      const next = nextPath(ctx);
      const { session } = await register(services, { ...input, next }, await sessionClientOf(ctx));
      return withSessionCookie(
        redirectWithNotice(ctx, next ?? pageAfterLogin(ctx.state), "registered"),
        session,
        services,
      );
    });
    return await withWays(ctx, result);
  },
});

/** Adds how people can create an account. */
function withWays(ctx: Context<State>, result: Response | PageResponse<FormState>) {
  const { config } = ctx.state.services;
  const { registration, allowedEmailDomains: domains } = config;
  return withData(result, ({ values: { email } }) => ({
    registration,
    domains,
    audience: addressAudience(config),
    legal: brandLinks(config.brand.settings).filter(({ name }) => name === "terms" || name === "privacy"),
    providers: signInLinks(config, nextPath(ctx), email),
  }));
}

export default define.page<typeof handler>(function RegisterPage({ data, url, state }) {
  const { signIn, frame } = textsIn(state.language);
  const { registration, domains } = data;
  const { title, description, name, emailHint, emailVisible, submit, taken, hasAccount, logIn, accepting } =
    signIn.register;
  const labels = { name, email: signIn.email, password: signIn.password };
  const next = nextPath({ url, state });
  if (registration === "open" && !mayUsePassword(state.services.config, "first")) {
    return <NoPasswordsPage data={data} next={next} texts={signIn} />;
  }
  if (registration !== "open") {
    return (
      <ClosedPage
        reason={registration}
        canReset={mayUsePassword(state.services.config, "first")}
        next={next}
        texts={signIn}
      />
    );
  }
  const isTaken = data.code === "EMAIL_TAKEN";
  const { values, message, details } = data;
  const hints = [
    ...domains.length > 0 ? [signIn.emailDomains({ domains: orList(domains, state.language.locale) })] : [],
    emailHint,
  ];
  return (
    <Page
      title={title}
      windowTitle={data.message && frame.titleWithError({ title })}
      description={description}
      isAuth
      below={
        <span>
          {hasAccount} <a href={withNext("/login", next)}>{logIn}</a>
        </span>
      }
    >
      <IdpLinksAbove links={data.providers} texts={signIn} />
      <form method="post" action={withNext("/register", next)} novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={labels} />
        <Field
          name="name"
          label={labels.name}
          autocomplete="name"
          required
          autofocus={message === undefined}
          value={values.name}
          errors={details.name}
        />
        <EmailField
          label={labels.email}
          hint={hints.join(" ")}
          value={values.email}
          errors={details.email}
          problem={isTaken ? taken(linksWith(values.email, next)) : undefined}
        />
        {data.audience && (
          <label class="choice">
            <input type="checkbox" name="emailVisible" checked={values.emailVisible !== undefined} />
            {emailVisible[data.audience]}
          </label>
        )}
        <PasswordField
          texts={passwordTexts(state.language)}
          label={labels.password}
          errors={details.password}
        />
        <Accepting links={data.legal} texts={{ ...frame, accepting }} />
        <button type="submit">{submit}</button>
      </form>
    </Page>
  );
});

interface AcceptingProps {
  links: BrandLink[];
  texts: Texts["frame"] & { accepting: string };
}

/** The rules that people accept with an account. */
function Accepting({ links, texts }: AcceptingProps) {
  if (links.length === 0) return null;
  return (
    <p class="meta">
      {texts.accepting}
      {links.map(({ name, href }, index) => (
        <>
          {index > 0 ? ", " : " "}
          <a href={href}>{texts[name]}</a>
        </>
      ))}
    </p>
  );
}

interface NoPasswordsProps {
  data: Pick<FormState, "message"> & { providers: IdpLink[] };
  next: string | null;
  texts: Texts["signIn"];
}

/** Offers what is left where no one gets a new password. */
function NoPasswordsPage({ data: { message, providers }, next, texts }: NoPasswordsProps) {
  const { title, hasAccount, logIn, withoutPasswords } = texts.register;
  return (
    <Page
      title={title}
      isAuth
      below={
        <span>
          {hasAccount} <a href={withNext("/login", next)}>{logIn}</a>
        </span>
      }
    >
      {message !== undefined && <FormMessage message={message} details={{}} labels={{}} />}
      <p>{providers.length > 0 ? withoutPasswords.providers : withoutPasswords.nothing}</p>
      <IdpLinks links={providers} texts={texts} />
    </Page>
  );
}

interface ClosedPageProps {
  reason: keyof Texts["signIn"]["register"]["closed"];
  /** Whether a reset gives a password to someone who has none. */
  canReset: boolean;
  next: string | null;
  texts: Texts["signIn"];
}

/** Explains why people cannot create an account here. Those who are invited get a new link like a reset. */
function ClosedPage({ reason, next, canReset, texts: { login, register: { closed, newLink } } }: ClosedPageProps) {
  const { title, lead } = closed[reason];
  return (
    <Page
      title={title}
      isAuth
      below={canReset && reason === "invited" && <a href={withNext("/forgot-password", next)}>{newLink}</a> ||
        undefined}
    >
      <p>{lead}</p>
      <a class="button" href={withNext("/login", next)}>{login.title}</a>
    </Page>
  );
}

/** Makes the links of the next steps, which take the address along. */
function linksWith(email: string, next: string | null) {
  const linkTo = (path: string): Tag<ComponentChild> => (children) => (
    <a href={withNext(`${path}?${new URLSearchParams({ email })}`, next)}>{children}</a>
  );
  return { login: linkTo("/login"), reset: linkTo("/forgot-password") };
}
