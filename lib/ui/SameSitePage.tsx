import { Head } from "fresh/runtime";
import type { Words } from "../words/words.ts";
import { Page } from "./Page.tsx";

/** A page that navigates to its own URL at once. Its link is for browsers with `refresh` turned off. */
export function SameSitePage({ words }: { words: Words["frame"] }) {
  return (
    <Page title={words.oneMoment} isNarrow>
      <Head>
        <meta http-equiv="refresh" content="0" />
        <meta name="robots" content="noindex" />
      </Head>
      <p>
        <a href="">{words.continue}</a>
      </p>
    </Page>
  );
}
