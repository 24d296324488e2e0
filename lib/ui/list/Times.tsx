import { Head } from "fresh/runtime";
import { asset } from "fresh/runtime";
import type { Texts } from "../../texts/texts.ts";

/** Makes the browser write the times of a page as people compare them, before it shows them. */
export function Times({ texts: { dateLocale } }: { texts: Pick<Texts["people"], "dateLocale"> }) {
  return (
    <Head>
      <script key="times" src={asset("/times.js")} data-locale={dateLocale} />
    </Head>
  );
}
