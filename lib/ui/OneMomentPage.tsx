import { Head } from "fresh/runtime";
import type { Texts } from "../texts/texts.ts";
import { Page } from "./Page.tsx";

interface OneMomentPageProps {
  href: string;
  /** The text of the link, if it says where it leads. */
  link?: string;
  texts: Texts["frame"];
}

/**
 * The page of a response that navigates to another URL, or again to its own, at once. Its link is for browsers that do
 * not.
 */
export function OneMomentPage({ href, link, texts }: OneMomentPageProps) {
  return (
    <Page title={texts.oneMoment} isAuth>
      <Head>
        <meta name="robots" content="noindex" />
      </Head>
      <p>
        <a href={href}>{link ?? texts.continue}</a>
      </p>
    </Page>
  );
}
