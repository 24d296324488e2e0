import { asset } from "fresh/runtime";
import { EmailField } from "../../lib/ui/EmailField.tsx";
import { Field } from "../../lib/ui/Field.tsx";
import { FormId } from "../../lib/ui/FormId.tsx";
import { FormMessage } from "../../lib/ui/FormMessage.tsx";
import { IdpLink } from "../../lib/ui/IdpLink.tsx";
import { SiteHeader } from "../../lib/ui/SiteHeader.tsx";
import { StyleSheets } from "../../lib/ui/StyleSheets.tsx";

const DESCRIPTION = "Foyer is the entrance hall of a product: accounts, profiles and uploads, calm and quick.";

/** The page /login without a framework. */
export function BareLoginPage() {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content={DESCRIPTION} />
        <title>Log in · Foyer</title>
        <link rel="icon" href={asset("/mark.svg")} type="image/svg+xml" />
        <StyleSheets />
      </head>
      <body>
        <SiteHeader isLoggedIn={false} />
        <main id="main" class="narrow" tabIndex={-1}>
          <h1>Log in</h1>
          <form method="post" action="/login" novalidate>
            <FormId />
            <FormMessage details={{}} labels={{}} />
            <EmailField />
            <Field name="password" label="Password" type="password" autocomplete="current-password" required />
            <button type="submit">Log in</button>
          </form>
          <IdpLink />
          <ul class="other-ways">
            <li>
              <a href="/forgot-password">I forgot my password</a>
            </li>
            <li>
              <a href="/register">I have no account yet</a>
            </li>
          </ul>
        </main>
        <footer class="site-footer">
          <p>Foyer: accounts, profiles and uploads.</p>
        </footer>
      </body>
    </html>
  );
}
