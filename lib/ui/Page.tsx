import type { ComponentChildren } from "preact";
import { Head } from "fresh/runtime";
import { PRODUCT } from "../texts/product.ts";

export interface PageProps {
  /** The heading. */
  title: string;
  /** The title of the window, without the product's name. Default: the heading. */
  windowTitle?: string;
  /** The summary that search engines show. */
  description?: string;
  /** For a single form or a short text. */
  isNarrow?: boolean;
  children: ComponentChildren;
}

/** The main part of a page. */
export function Page({ title, windowTitle = title, description, isNarrow, children }: PageProps) {
  return (
    <main id="main" class={isNarrow ? "narrow" : undefined} tabindex={-1}>
      <Head>
        <title>{`${windowTitle} · ${PRODUCT}`}</title>
        {description !== undefined && <meta name="description" content={description} />}
      </Head>
      <h1>{title}</h1>
      {children}
    </main>
  );
}
