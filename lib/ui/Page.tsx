import type { ComponentChildren } from "preact";
import { Head } from "fresh/runtime";

export interface PageProps {
  /** The heading, and the title of the window. */
  title: string;
  /** What search engines show. */
  description?: string;
  /** For a single form or a short text. */
  isNarrow?: boolean;
  /** True where a form was refused: the title says so first. */
  hasError?: boolean;
  children: ComponentChildren;
}

/** The main part of a page. */
export function Page({ title, description, isNarrow, hasError, children }: PageProps) {
  return (
    <main id="main" class={isNarrow ? "narrow" : undefined} tabIndex={-1}>
      <Head>
        <title>{`${hasError ? "Error: " : ""}${title} · Foyer`}</title>
        {description !== undefined && <meta name="description" content={description} />}
      </Head>
      <h1>{title}</h1>
      {children}
    </main>
  );
}
