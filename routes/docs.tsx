import { page } from "fresh";
import { asset, Head } from "fresh/runtime";
import type { ComponentChild } from "preact";
import { pageHandlers } from "../lib/web/pages/page_handlers.ts";
import { define } from "../lib/web/state.ts";
import { type ApiDocument, publishedDocument } from "../lib/api/document.ts";
import {
  ERRORS_OF_ANY,
  findInDocument,
  type Found,
  OperationSearch,
  readableErrors,
  type ReadableSection,
  readableSections,
  SEARCH_MAX,
  waysToLogIn,
} from "../lib/api/reading.ts";
import { parseFilters } from "../lib/http/parse.ts";
import { SearchForm } from "../lib/ui/list/SearchForm.tsx";
import { Page } from "../lib/ui/Page.tsx";
import { RenderedOnce } from "../lib/ui/RenderedOnce.tsx";
import { type Texts, textsIn } from "../lib/texts/texts.ts";
import { ApiOperation } from "./(_components)/ApiOperation.tsx";
import { WithCode } from "./(_components)/WithCode.tsx";
import { ErrorCodes } from "./(_components)/ErrorCodes.tsx";

export const handler = pageHandlers({ who: "everyone", whileClosing: "open" }, {
  async GET({ url, state: { services } }) {
    const { document, etag, codesLeftOut } = await publishedDocument(services);
    const query = parseFilters(url, OperationSearch).query?.trim() ?? "";
    const found = query === "" ? null : findInDocument({ document, codesLeftOut }, query);
    return page({ document, etag, errors: readableErrors(codesLeftOut), query, found });
  },
});

/** The API document, for people. It is as long as a hundred pages, so it is rendered once, and a search links to it. */
export default define.page<typeof handler>(function ApiPage({ data, state: { language } }) {
  const { document, errors, etag, query, found } = data;
  const texts = textsIn(language).apiDocs;
  return (
    <Page title={texts.title} description={texts.description}>
      <Head>
        <link key="docs.css" rel="stylesheet" href={asset("/docs.css")} />
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
        action="/docs"
        query={query}
        maxLength={SEARCH_MAX}
        texts={texts}
      />
      {found === null
        ? (
          <RenderedOnce
            id={`docs ${language.id} ${etag}`}
            content={() => <Guide document={document} errors={errors} texts={texts} />}
          />
        )
        : <Results found={found} texts={texts} />}
    </Page>
  );
});

function Results({ found, texts }: { found: Found[]; texts: Texts["apiDocs"] }) {
  return (
    <>
      {found.length === 0 ? <p class="empty">{texts.noneFound}</p> : (
        <ul class="rows">
          {found.map(({ id, title, route }) => (
            <li key={id} lang="en" dir="ltr">
              <div>
                <a href={`/docs#${id}`}>{title}</a>
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
        <a href="/docs">{texts.showAll}</a>
      </p>
    </>
  );
}

interface GuideProps {
  document: ApiDocument;
  errors: ReturnType<typeof readableErrors>;
  texts: Texts["apiDocs"];
}

function Guide({ document, errors, texts }: GuideProps) {
  const sections = readableSections(document);
  return (
    <>
      <p class="lead">
        <Lead texts={texts} />
      </p>
      <p>{texts.guide}</p>
      <p>
        {texts.anyRequest} <WithCode text={ERRORS_OF_ANY.map((code) => `\`${code}\``).join(" ")} texts={texts} />
      </p>
      <WaysToLogIn ways={waysToLogIn(document)} texts={texts} />
      <Contents sections={sections} texts={texts} />
      {sections.map(({ name, operations }) => (
        <>
          <h2 lang="en" dir="ltr">{name}</h2>
          {operations.map((operation) => <ApiOperation key={operation.id} value={operation} texts={texts} />)}
        </>
      ))}
      <ErrorCodes errors={errors} texts={texts} />
    </>
  );
}

// These are components because Preact would escape an array of texts twice.
function Lead({ texts }: { texts: Texts["apiDocs"] }) {
  return texts.lead<ComponentChild>({ file: (children) => <a href="/api/openapi.json">{children}</a> });
}

type Ways = ReturnType<typeof waysToLogIn>;

/** Tabs. Without `:has()`, which they need, all of them are open. */
function WaysToLogIn({ ways, texts }: { ways: Ways; texts: Texts["apiDocs"] }) {
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
                <WayText text={texts.ways[id].text} operation={ways[id].operation} />
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

function WayText({ text, operation }: { text: Texts["apiDocs"]["ways"]["app"]["text"]; operation: string }) {
  return text<ComponentChild>({ route: (children) => <a href={`#${operation}`} dir="ltr">{children}</a> });
}

function Contents({ sections, texts }: { sections: ReadableSection[]; texts: Texts["apiDocs"] }) {
  return (
    <nav class="contents side-navigation" aria-label={texts.contents}>
      {sections.map(({ name, operations }) => (
        <details>
          <summary>
            <span lang="en" dir="ltr">{name}</span>
          </summary>
          <ul>
            {operations.map(({ id, operation }) => (
              <li>
                <a lang="en" dir="ltr" href={`#${id}`}>{operation.summary}</a>
              </li>
            ))}
          </ul>
        </details>
      ))}
      <a href="#errors">{texts.errors}</a>
    </nav>
  );
}
