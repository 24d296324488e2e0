import { Head } from "fresh/runtime";
import type { AppError } from "../errors.ts";

const TITLES: Record<number, string> = {
  404: "There is nothing here",
  500: "Something went wrong",
  503: "Please try again in a moment",
};

/** What a person sees of an error that no page handles itself. */
export function ErrorPage({ error }: { error: AppError }) {
  const title = TITLES[error.status] ?? error.message;
  return (
    <main class="narrow">
      <Head>
        <title>{title} · Foyer</title>
      </Head>
      <h1>{title}</h1>
      <p>{error.message}.</p>
      <p>
        <a href="/">Go to the start page</a>
      </p>
    </main>
  );
}
