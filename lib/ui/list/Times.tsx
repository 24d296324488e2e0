import { Head } from "fresh/runtime";
import { asset } from "fresh/runtime";

/** Makes the browser write the times of a page as people compare them, before it shows them. */
export function Times({ locale }: { locale: string }) {
  return (
    <Head>
      <script key="times" src={asset("/times.js")} data-locale={locale} />
    </Head>
  );
}
