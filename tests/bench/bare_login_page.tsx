import { PasskeyRequest } from "../../lib/ui/account/PasskeyRequest.tsx";
import { EmailField } from "../../lib/ui/form/EmailField.tsx";
import { Field } from "../../lib/ui/form/Field.tsx";
import { FormId } from "../../lib/ui/form/FormId.tsx";
import { FormMessage } from "../../lib/ui/form/FormMessage.tsx";
import { ShowPassword } from "../../lib/ui/form/ShowPassword.tsx";
import { SiteFooter } from "../../lib/ui/SiteFooter.tsx";
import { SiteHead } from "../../lib/ui/SiteHead.tsx";
import { SiteHeader } from "../../lib/ui/SiteHeader.tsx";
import { createBrand, DEFAULT_NAME } from "../../lib/brand/brand.ts";
import { textsIn } from "../../lib/texts/texts.ts";
import { ENGLISH } from "../../lib/texts/languages.ts";

const BRAND = createBrand({ name: DEFAULT_NAME });

const LANGUAGES = { byTag: new Map([[ENGLISH.tag, ENGLISH]]), default: ENGLISH, mailFrame: {} };
const { frame, passkeys, password, signIn } = textsIn(ENGLISH);
const RP_ID = "localhost";
const HERE = {
  href: "http://localhost:8000/login",
  text: passkeys.elsewhere({ host: RP_ID }),
  link: passkeys.elsewhereLink({ host: RP_ID }),
};

/** The content of /login, without a framework. */
export function BareLoginPage() {
  return (
    <html lang="en">
      <head>
        <SiteHead brand={BRAND} previewOrigin={null} />
        <meta name="description" content={frame.description} />
        <title>{`${signIn.login.title} · ${DEFAULT_NAME}`}</title>
      </head>
      <body>
        <SiteHeader user={null} brand={BRAND} people={{ toAll: true, toOneself: false }} hasFiles texts={frame} />
        <main id="main" class="auth" tabIndex={-1}>
          <div class="box">
            <h1>{signIn.login.heading}</h1>
            <FormMessage details={{}} labels={{}} />
            <form method="post" action="/login?with=passkey">
              <FormId />
              <PasskeyRequest
                kind="get"
                name="credential"
                label={passkeys.logIn}
                or={signIn.or}
                isSubmitButton
                hasAutofill
                isSecondary
                place={{ rpId: RP_ID, elsewhere: HERE }}
                problems={passkeys.problems}
              />
            </form>
            <form method="post" action="/login" novalidate>
              <FormId />
              <EmailField label={signIn.email} autocomplete="username webauthn" value="" autofocus />
              <Field
                name="password"
                label={signIn.password}
                type="password"
                autocomplete="current-password"
                required
                aside={<a href="/forgot-password">{signIn.login.forgot}</a>}
                button={<ShowPassword texts={password} />}
              />
              <button type="submit">{signIn.login.submit}</button>
            </form>
          </div>
          <p class="below">
            <span>
              {signIn.login.newHere} <a href="/register">{signIn.login.createAccount}</a>
            </span>
          </p>
        </main>
        <SiteFooter brand={BRAND} hasPeople hasDocs language={ENGLISH} languages={LANGUAGES} />
      </body>
    </html>
  );
}
