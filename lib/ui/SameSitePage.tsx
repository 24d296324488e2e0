import { Head } from "fresh/runtime";

/** A page that navigates to its own address at once; where that is switched off, by its link. */
export function SameSitePage() {
  return (
    <main class="narrow">
      <Head>
        <title>One moment · Foyer</title>
        <meta http-equiv="refresh" content="0" />
        <meta name="robots" content="noindex" />
      </Head>
      <h1>One moment</h1>
      <p>
        <a href="">Continue</a>
      </p>
    </main>
  );
}
