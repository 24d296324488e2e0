import { Head } from "fresh/runtime";
import type { Texts } from "../texts/texts.ts";
import { Page } from "./Page.tsx";

/** Explains why we no longer redirect to a product, which keeps sending the browser back. */
export function LoopPage({ href, host, texts }: { href: string; host: string; texts: Texts["frame"] }) {
  const { loop: { title, explanation, advice }, tryAgain } = texts;
  return (
    <Page title={title} isAuth>
      <Head>
        <meta name="robots" content="noindex" />
      </Head>
      <p>{explanation({ host })}</p>
      <p>{advice}</p>
      <p class="actions">
        <a class="button" href={href}>{tryAgain}</a>
        <a class="button secondary" href="/">{texts.homePage}</a>
      </p>
    </Page>
  );
}
