import { asset } from "fresh/runtime";
import { hasMailFolder } from "../lib/http/pages/mail_folder.ts";
import { define } from "../lib/http/state.ts";
import { Notice } from "../lib/ui/Notice.tsx";
import { SiteHeader } from "../lib/ui/SiteHeader.tsx";
import { StyleSheets } from "../lib/ui/StyleSheets.tsx";

const DESCRIPTION = "Foyer is the entrance hall of a product: accounts, profiles and uploads, calm and quick.";

export default define.page(async function AppWrapper({ Component, state }) {
  // A page about a database that is down has a header too.
  const session = await state.currentSession().catch(() => null);
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content={DESCRIPTION} />
        <title>Foyer</title>
        <link rel="icon" href={asset("/mark.svg")} type="image/svg+xml" />
        <StyleSheets />
      </head>
      <body>
        <SiteHeader isLoggedIn={session !== null} />
        {state.notice && <Notice code={state.notice} hasOutbox={hasMailFolder(state.services)} />}
        <Component />
        <footer class="site-footer">
          <p>Foyer: accounts, profiles and uploads.</p>
        </footer>
      </body>
    </html>
  );
});
