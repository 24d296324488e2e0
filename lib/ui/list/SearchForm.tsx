import type { ComponentChildren } from "preact";

interface SearchFormProps {
  /** The page of the list. */
  action: string;
  /** Default: query. */
  name?: string;
  query: string;
  maxLength: number;
  texts: { search: string; find: string };
  /** Whether people come to the page to search. */
  autofocus?: boolean;
  /** Fields that also choose entries. */
  filters?: ComponentChildren;
  /** What is beside the button. */
  children?: ComponentChildren;
}

/** The form above a list that finds entries by their names. */
export function SearchForm(
  { action, name = "query", query, maxLength, autofocus, texts, filters, children }: SearchFormProps,
) {
  return (
    <form class="actions no-print" role="search" action={action}>
      <input
        type="search"
        name={name}
        dir="auto"
        value={query}
        maxlength={maxLength}
        aria-label={texts.search}
        placeholder={texts.search}
        autocomplete="off"
        autofocus={autofocus}
      />
      {filters}
      <button class="secondary" type="submit">{texts.find}</button>
      {children}
    </form>
  );
}
