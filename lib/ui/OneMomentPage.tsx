import { Head } from "fresh/runtime";
import type { Texts } from "../texts/texts.ts";
import { Page } from "./Page.tsx";

/** The page of a response that navigates to another URL, or again to its own, at once. Its link is for browsers that do not. */
export function OneMomentPage({ href, texts }: { href: string; texts: Texts["frame"] }) {
  return (
    <Page title={texts.oneMoment} isAuth>
      <Head>
        <meta name="robots" content="noindex" />
      </Head>
      <p>
        <a href={href}>{texts.continue}</a>
      </p>
    </Page>
  );
}
