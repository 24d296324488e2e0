import { page } from "fresh";
import { asset, Head } from "fresh/runtime";
import type { ComponentChild } from "preact";
import { pageHandlers } from "../lib/web/pages/page_handlers.ts";
import { define } from "../lib/web/state.ts";
import { publishedDocument } from "../lib/api/document.ts";
import {
  findInDocument,
  type Found,
  OperationSearch,
  readableErrors,
  type ReadableSection,
  readableSections,
  SEARCH_MAX,
} from "../lib/api/reading.ts";
import { parseFilters } from "../lib/http/parse.ts";
import { SearchForm } from "../lib/ui/list/SearchForm.tsx";
import { Page } from "../lib/ui/Page.tsx";
import { RenderedOnce } from "../lib/ui/RenderedOnce.tsx";
import { type Texts, textsIn } from "../lib/texts/texts.ts";
import { ApiOperation } from "./(_components)/ApiOperation.tsx";
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
            content={() => <Guide sections={readableSections(document)} errors={errors} texts={texts} />}
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
  sections: ReadableSection[];
  errors: ReturnType<typeof readableErrors>;
  texts: Texts["apiDocs"];
}

function Guide({ sections, errors, texts }: GuideProps) {
  return (
    <>
      <p class="lead">
        <Lead texts={texts} />
      </p>
      <p>
        <FirstSteps texts={texts} />
      </p>
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

function FirstSteps({ texts }: { texts: Texts["apiDocs"] }) {
  return texts.guide<ComponentChild>({ logIn: (children) => <a href="#logIn" dir="ltr">{children}</a> });
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
