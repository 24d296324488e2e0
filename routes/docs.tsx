import { HttpError, page } from "fresh";
import { asset, Head } from "fresh/runtime";
import type { ComponentChild } from "preact";
import { pageHandlers } from "../lib/web/pages/page_handlers.ts";
import { define } from "../lib/web/state.ts";
import { publishedDocument } from "../lib/api/document.ts";
import {
  API_PAGE,
  ApiFilters,
  ERRORS_OF_ANY,
  findInDocument,
  type Found,
  readableErrors,
  type ReadableSection,
  readableSections,
  SEARCH_MAX,
  waysToLogIn,
} from "../lib/api/reading.ts";
import { parseFilters } from "../lib/http/parse.ts";
import { SearchForm } from "../lib/ui/list/SearchForm.tsx";
import { Page } from "../lib/ui/Page.tsx";
import { type Texts, textsIn } from "../lib/texts/texts.ts";
import { ApiOperation } from "./(_components)/ApiOperation.tsx";
import { WithCode } from "./(_components)/WithCode.tsx";
import { ErrorCodes } from "./(_components)/ErrorCodes.tsx";

type ApiTexts = Texts["apiDocs"];

export const handler = pageHandlers({ who: "everyone", whileClosing: "open" }, {
  async GET({ url, state: { services } }) {
    const { document, codesLeftOut } = await publishedDocument(services);
    const { query = "", section } = parseFilters(url, ApiFilters);
    if (section !== undefined && document.tags.every(({ name }) => name !== section)) throw new HttpError(404);
    const words = query.trim();
    const found = words === "" ? null : findInDocument({ document, codesLeftOut }, words);
    return page({ document, errors: readableErrors(codesLeftOut), query: words, found, section });
  },
});

/** The API document, for people: its sections have a page each. */
export default define.page<typeof handler>(function ApiPage({ data, state: { language } }) {
  const { document, errors, query, found, section } = data;
  const texts = textsIn(language).apiDocs;
  const sections = readableSections(document);
  const shown = found === null ? sections.find(({ name }) => name === section) : undefined;
  return (
    <Page
      title={texts.title}
      windowTitle={shown && `${shown.name} · ${texts.title}`}
      description={shown?.description ?? texts.description}
      back={shown && { href: API_PAGE, text: texts.title }}
      styles="/docs.css"
    >
      <Head>
        <script
          key="copy_code.js"
          defer
          src={asset("/copy_code.js")}
          data-copy={texts.copy}
          data-copied={texts.copied}
          data-failed={texts.copyFailed}
        />
      </Head>
      <SearchForm
        action={API_PAGE}
        query={query}
        maxLength={SEARCH_MAX}
        texts={texts}
      />
      {found !== null ? <Results found={found} texts={texts} /> : (
        <>
          {!shown && <Start ways={waysToLogIn(document)} texts={texts} />}
          <Contents sections={sections} shown={shown} texts={texts} />
          {shown ? <Section value={shown} texts={texts} /> : <ErrorCodes errors={errors} texts={texts} />}
        </>
      )}
    </Page>
  );
});

function Results({ found, texts }: { found: Found[]; texts: ApiTexts }) {
  return (
    <>
      {found.length === 0 ? <p class="empty">{texts.noneFound}</p> : (
        <ul class="rows">
          {found.map(({ href, title, route }) => (
            <li key={href} lang="en" dir="ltr">
              <div>
                <a href={href}>{title}</a>
                {route && (
                  <p class="meta">
                    <code>{route}</code>
                  </p>
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
      <p>
        <a href={API_PAGE}>{texts.back}</a>
      </p>
    </>
  );
}

function Start({ ways, texts }: { ways: Ways; texts: ApiTexts }) {
  return (
    <>
      <p class="lead">
        <Lead texts={texts} />
      </p>
      <p>{texts.guide}</p>
      <p>
        {texts.anyRequest} <WithCode text={ERRORS_OF_ANY.map((code) => `\`${code}\``).join(" ")} texts={texts} />
      </p>
      <WaysToLogIn ways={ways} texts={texts} />
    </>
  );
}

function Section({ value: { name, description, operations }, texts }: { value: ReadableSection; texts: ApiTexts }) {
  return (
    <>
      <h2 lang="en" dir="ltr">{name}</h2>
      <p lang="en" dir="ltr">{description}</p>
      {operations.map((operation) => <ApiOperation key={operation.id} value={operation} texts={texts} />)}
    </>
  );
}

// These are components because Preact would escape an array of texts twice.
function Lead({ texts }: { texts: ApiTexts }) {
  return texts.lead<ComponentChild>({ file: (children) => <a href="/api/openapi.json">{children}</a> });
}

type Ways = ReturnType<typeof waysToLogIn>;

/** Tabs. Without `:has()`, which they need, all of them are open. */
function WaysToLogIn({ ways, texts }: { ways: Ways; texts: ApiTexts }) {
  const ids = Object.keys(ways) as (keyof Ways)[];
  return (
    <>
      <h2>{texts.howToLogIn}</h2>
      <fieldset class="card ways">
        <legend class="visually-hidden">{texts.howToLogIn}</legend>
        {ids.map((id, index) => (
          <label class="choice">
            <input type="radio" name="way" checked={index === 0} /> {texts.ways[id].name}
          </label>
        ))}
        {ids.map((id) => (
          <section class="operation">
            <div>
              <h3 class="visually-hidden">{texts.ways[id].name}</h3>
              <p>
                <WayText text={texts.ways[id].text} href={ways[id].href} />
              </p>
            </div>
            <div>
              <h4>{texts.example}</h4>
              <pre><code>{ways[id].commands}</code></pre>
            </div>
          </section>
        ))}
      </fieldset>
    </>
  );
}

function WayText({ text, href }: { text: ApiTexts["ways"]["app"]["text"]; href: string }) {
  return text<ComponentChild>({ route: (children) => <a href={href} dir="ltr">{children}</a> });
}

interface ContentsProps {
  sections: ReadableSection[];
  shown: ReadableSection | undefined;
  texts: ApiTexts;
}

function Contents({ sections, shown, texts }: ContentsProps) {
  return (
    <nav class="contents side-navigation" aria-label={texts.contents}>
      {sections.map((section) => (
        <details open={section === shown}>
          <summary>
            <span lang="en" dir="ltr">{section.name}</span>
          </summary>
          <ul>
            {section.operations.map(({ href, operation }) => (
              <li>
                <a lang="en" dir="ltr" href={href}>{operation.summary}</a>
              </li>
            ))}
          </ul>
        </details>
      ))}
      <a href={`${API_PAGE}#errors`}>{texts.errors}</a>
    </nav>
  );
}
