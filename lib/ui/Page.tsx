import { type ComponentChildren, createContext } from "preact";
import { asset, Head } from "fresh/runtime";
import { Isolated } from "./Isolated.tsx";

/** The name of the product, for the titles of windows. `define.page` provides it. */
export const ProductName = createContext("");

export interface PageProps {
  /** The heading. */
  title: string;
  /** Whether the heading is a name. */
  isName?: boolean;
  /** The title of the window, without the product's name. Default: the heading. */
  windowTitle?: string;
  /** The summary that search engines show. */
  description?: string;
  /** For guests who log in: a card below the logo, without the navigation. */
  isAuth?: boolean;
  /** Links below the card. */
  below?: ComponentChildren;
  /** The page that leads here. */
  back?: { href: string; text: string };
  /** A style sheet that only some pages need. */
  styles?: string;
  children: ComponentChildren;
}

/** The main part of a page. */
export function Page(
  { title, isName, windowTitle = title, description, isAuth, below, back, styles, children }: PageProps,
) {
  const content = (
    <>
      {back && (
        <p class="back no-print">
          <a href={back.href}>{back.text}</a>
        </p>
      )}
      <h1>{isName ? <Isolated>{title}</Isolated> : title}</h1>
      {children}
    </>
  );
  return (
    <main id="main" class={isAuth ? "auth" : undefined} tabindex={-1}>
      <ProductName.Consumer>
        {(product) => (
          <Head>
            <title>{`${windowTitle} · ${product}`}</title>
            {styles !== undefined && <link key="styles" rel="stylesheet" href={asset(styles)} />}
            {description !== undefined && <meta name="description" content={description} />}
          </Head>
        )}
      </ProductName.Consumer>
      {isAuth ? <div class="box">{content}</div> : content}
      {below !== undefined && <p class="below">{below}</p>}
    </main>
  );
}
