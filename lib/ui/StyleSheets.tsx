import { asset } from "fresh/runtime";

/** Links to the style sheets of every page. */
export function StyleSheets() {
  return (
    <>
      <link rel="stylesheet" href={asset("/styles.css")} />
      <link rel="stylesheet" href={asset("/cards.css")} />
      <link rel="stylesheet" href={asset("/forms.css")} />
    </>
  );
}
