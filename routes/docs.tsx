import { page } from "fresh";
import { asset, Head } from "fresh/runtime";
import { define } from "../lib/web/state.ts";
import { publishedDocument } from "../lib/api/document.ts";
import { type ReadableSection, readableSections } from "../lib/api/reading.ts";
import { Page } from "../lib/ui/Page.tsx";
import { RenderedOnce } from "../lib/ui/RenderedOnce.tsx";
import { type Texts, textsIn } from "../lib/texts/texts.ts";
import { ApiOperation } from "./(_components)/ApiOperation.tsx";

export const handler = define.handlers({
  GET: (ctx) => page(publishedDocument(ctx.state.services.config)),
}, { whileClosing: "open" });

/** The API document, for people. It is as long as a hundred pages, so it is rendered once. */
export default define.page<typeof handler>(function ApiPage({ data: { document, etag }, state: { language } }) {
  const texts = textsIn(language).apiDocs;
  return (
    <Page title={texts.title} description={texts.description}>
      <Head>
        <link key="docs.css" rel="stylesheet" href={asset("/docs.css")} />
      </Head>
      <RenderedOnce
        id={`docs ${language} ${etag}`}
        content={() => <Guide sections={readableSections(document)} texts={texts} />}
      />
    </Page>
  );
});

function Guide({ sections, texts }: { sections: ReadableSection[]; texts: Texts["apiDocs"] }) {
  return (
    <>
      <p class="lead">{texts.lead}</p>
      <p>
        {texts.guide} <a href="#logIn">POST /auth/login</a> {texts.guideEnd}
      </p>
      <p>
        {texts.document} <a href="/api/openapi.json">OpenAPI 3.1</a>.
      </p>
      <nav class="contents" aria-label={texts.contents}>
        {sections.map(({ name, operations }) => (
          <details key={name}>
            <summary>{name}</summary>
            <ul>
              {operations.map(({ id, method, path }) => (
                <li key={id}>
                  <a href={`#${id}`}>
                    <code>{method} {path}</code>
                  </a>
                </li>
              ))}
            </ul>
          </details>
        ))}
      </nav>
      {sections.map(({ name, operations }) => (
        <>
          <h2>{name}</h2>
          {operations.map((operation) => <ApiOperation key={operation.id} value={operation} texts={texts} />)}
        </>
      ))}
    </>
  );
}
