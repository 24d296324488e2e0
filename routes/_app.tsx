import { isShownAtProduct } from "../lib/web/pages/at_product.ts";
import { nextPath, withAccountChoice, withNext } from "../lib/web/pages/next_path.ts";
import { SECOND_STEP_PAGE } from "../lib/web/authentication/sign_in_response.ts";
import { policyInPage } from "../lib/web/referrer_policy.ts";
import { define } from "../lib/web/state.ts";
import { currentFrameLink } from "../lib/ui/current_link.ts";
import { RenderedOnce } from "../lib/ui/RenderedOnce.tsx";
import { SiteFooter } from "../lib/ui/SiteFooter.tsx";
import { hasUploads } from "../lib/config/uploads_setting.ts";
import { SiteHeader } from "../lib/ui/SiteHeader.tsx";
import { SiteHead } from "../lib/ui/SiteHead.tsx";
import { textsIn } from "../lib/texts/texts.ts";
import { seesOneself, seesPeople } from "../lib/users/user_visibility.ts";

/** Whoever logs in from these pages may want another account: they have just logged out, or wait for a second step. */
const CHOOSING_PAGES = ["/oauth/logout", SECOND_STEP_PAGE];

export default define.page(function AppWrapper({ Component, state, url }) {
  const { language, viewer } = state;
  const texts = textsIn(language);
  const next = nextPath({ url, state });
  const { config } = state.services;
  const { brand, baseUrl } = config;
  const isOpen = config.registration === "open";
  const people = { toAll: seesPeople(viewer, config), toOneself: viewer !== null && seesOneself(viewer, config) };
  const frameId = `${brand.id} ${language.id} ${people.toAll} ${currentFrameLink(url.pathname)}`;
  const previewOrigin = viewer === null ? baseUrl : null;
  const referrerPolicy = policyInPage(url);
  const isAtProduct = isShownAtProduct(url);
  const login = CHOOSING_PAGES.includes(url.pathname) ? withAccountChoice("/login") : "/login";
  const header = () => (
    <SiteHeader
      user={viewer}
      brand={brand}
      people={people}
      hasFiles={hasUploads(config, "files")}
      guestLinks={{ logIn: withNext(login, next), register: isOpen ? withNext("/register", next) : null }}
      texts={texts.frame}
    />
  );
  const footer = () => (
    <SiteFooter
      brand={brand}
      hasPeople={people.toAll && viewer === null}
      hasDocs={!config.isProduction}
      language={language}
      languages={state.services.languages}
    />
  );
  return (
    <html lang={language.tag} dir={language.direction}>
      <head>
        {isAtProduct && <base href={`${baseUrl}/`} />}
        <RenderedOnce
          id={`head ${brand.id} ${previewOrigin}`}
          content={() => <SiteHead brand={brand} previewOrigin={previewOrigin} />}
        />
        {referrerPolicy !== null && <meta name="referrer" content={referrerPolicy} />}
        <meta name="description" content={texts.frame.description} />
        <title>{brand.name}</title>
      </head>
      <body>
        {!isAtProduct && (
          <RenderedOnce
            id={viewer === null && next === null ? `header ${frameId} ${isOpen} ${login}` : null}
            content={header}
          />
        )}
        <Component />
        {!isAtProduct && (
          <RenderedOnce id={`footer ${frameId} ${viewer === null} ${config.isProduction}`} content={footer} />
        )}
      </body>
    </html>
  );
});
