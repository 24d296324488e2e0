import { Head } from "fresh/runtime";
import type { Words } from "../words/words.ts";
import { Page } from "./Page.tsx";

/** The page of a response that navigates to another URL, or again to its own, at once. Its link is for browsers that do not. */
export function OneMomentPage({ href, words }: { href: string; words: Words["frame"] }) {
  return (
    <Page title={words.oneMoment} isNarrow>
      <Head>
        <meta name="robots" content="noindex" />
      </Head>
      <p>
        <a href={href}>{words.continue}</a>
      </p>
    </Page>
  );
}
