import { hasMailFolder } from "../lib/http/pages/mail_folder.ts";
import { nextPath, withNext } from "../lib/http/pages/next_path.ts";
import { define } from "../lib/http/state.ts";
import { Notice } from "../lib/ui/Notice.tsx";
import { SiteHeader } from "../lib/ui/SiteHeader.tsx";
import { SiteHead } from "../lib/ui/SiteHead.tsx";
import { PRODUCT } from "../lib/words/product.ts";
import { wordsIn } from "../lib/words/words.ts";

export default define.page(async function AppWrapper({ Component, state, url }) {
  const words = wordsIn(state.language);
  // Error pages need a header even while the database is down.
  const session = await state.currentSession().catch(() => null);
  const next = nextPath({ url, state });
  return (
    <html lang={state.language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content={words.frame.description(PRODUCT)} />
        <title>{PRODUCT}</title>
        <SiteHead />
      </head>
      <body>
        <SiteHeader
          user={session?.user ?? null}
          guestLinks={{ logIn: withNext("/login", next), register: withNext("/register", next) }}
          words={words.frame}
        />
        {state.notice && <Notice code={state.notice} hasOutbox={hasMailFolder(state.services)} words={words} />}
        <Component />
        <footer class="site-footer">
          <p>
            {words.frame.footer(PRODUCT)} <a href="/users">{words.frame.people}</a>{" "}
            <a href="/docs">{words.frame.apiDocs}</a>
          </p>
        </footer>
      </body>
    </html>
  );
});
