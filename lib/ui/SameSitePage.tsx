import { Head } from "fresh/runtime";
import { Page } from "./Page.tsx";

/** A page that navigates to its own address at once; where that is switched off, by its link. */
export function SameSitePage() {
  return (
    <Page title="One moment" isNarrow>
      <Head>
        <meta http-equiv="refresh" content="0" />
        <meta name="robots" content="noindex" />
      </Head>
      <p>
        <a href="">Continue</a>
      </p>
    </Page>
  );
}
