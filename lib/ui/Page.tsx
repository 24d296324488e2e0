import { type ComponentChildren, createContext } from "preact";
import { asset, Head } from "fresh/runtime";
import type { Brand } from "../brand/brand.ts";
import { BrandLink } from "./BrandLink.tsx";
import { Isolated } from "./Isolated.tsx";

/** What every page shows besides its own content. */
export interface PageFrame {
  brand: Pick<Brand, "name" | "homeUrl" | "logo">;
  /** The result of the previous form, or null. */
  notice: ComponentChildren;
  /** The id of a request that failed, below what the page says about it. */
  requestId: ComponentChildren;
}

/** `define.page` provides it. */
export const Frame = createContext<PageFrame>({
  brand: { name: "", homeUrl: "/", logo: null },
  notice: null,
  requestId: null,
});

export interface PageProps {
  /** The heading. */
  title: string;
  /** Whether the heading is a name. */
  isName?: boolean;
  /** The title of the window, without the product's name. Default: the heading. */
  windowTitle?: string;
  /** The summary that search engines show. */
  description?: string;
  /** For guests who log in: a door with the logo, without the navigation. */
  isAuth?: boolean;
  /** For what no one can open: a door as well, but closed. The navigation stays. */
  isClosed?: boolean;
  /** A picture beside the heading. */
  face?: ComponentChildren;
  /** Links below the card. */
  below?: ComponentChildren;
  /** The page that leads here. */
  back?: { href: string; text: string };
  /** Whether the page itself says what the notice would say. */
  tellsNotice?: boolean;
  /** A style sheet that only some pages need. */
  styles?: string;
  children: ComponentChildren;
}

/** The main part of a page. */
export function Page(props: PageProps) {
  return <Frame.Consumer>{(frame) => <Main {...props} frame={frame} />}</Frame.Consumer>;
}

function Main(props: PageProps & { frame: PageFrame }) {
  const { title, windowTitle = title, description, isAuth, isClosed, below, tellsNotice, styles, frame } = props;
  const notice = tellsNotice ? null : frame.notice;
  const isDoor = isAuth || isClosed;
  return (
    <main id="main" class={isAuth ? "auth" : isClosed ? "closed" : undefined} tabindex={-1}>
      <Head>
        <title>{`${windowTitle} · ${frame.brand.name}`}</title>
        {styles !== undefined && <link key="styles" rel="stylesheet" href={asset(styles)} />}
        {description !== undefined && <meta name="description" content={description} />}
      </Head>
      {!isDoor && notice}
      {isDoor
        ? (
          <div class="door box">
            {isAuth && <BrandLink brand={frame.brand} />}
            <Content {...props} notice={notice} />
          </div>
        )
        : <Content {...props} notice={null} />}
      {below !== undefined && <p class="below">{below}</p>}
    </main>
  );
}

/** @param props.notice stands below the heading, where a door has room for it. */
function Content(
  { title, isName, face, back, children, notice, frame }: PageProps & { notice: ComponentChildren; frame: PageFrame },
) {
  const heading = <h1>{isName ? <Isolated>{title}</Isolated> : title}</h1>;
  return (
    <>
      {back && (
        <p class="back no-print">
          <a href={back.href}>{back.text}</a>
        </p>
      )}
      {face === undefined ? heading : <div class="account-line">{face} {heading}</div>}
      {notice}
      {children}
      {frame.requestId}
    </>
  );
}
