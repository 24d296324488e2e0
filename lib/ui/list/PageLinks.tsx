interface PageLinksProps {
  /** The page of the list. */
  path: string;
  /** What the list is filtered by. */
  filters: Record<string, string | undefined>;
  nextCursor: string | null;
  isFirst: boolean;
  texts: { pages: string; firstPage: string; nextPage: string };
}

/** The links to the first and the next page of a list. */
export function PageLinks({ path, filters, nextCursor, isFirst, texts }: PageLinksProps) {
  if (isFirst && nextCursor === null) return null;
  return (
    <nav class="pages" aria-label={texts.pages}>
      {!isFirst && <a class="button secondary" href={hrefOf(path, filters)}>{texts.firstPage}</a>}
      {nextCursor !== null && (
        <a class="button secondary" rel="next" href={hrefOf(path, { ...filters, cursor: nextCursor })}>
          {texts.nextPage}
        </a>
      )}
    </nav>
  );
}

function hrefOf(path: string, parameters: PageLinksProps["filters"]): string {
  const present = Object.entries(parameters).filter((each): each is [string, string] => Boolean(each[1]));
  return present.length === 0 ? path : `${path}?${new URLSearchParams(present)}`;
}
