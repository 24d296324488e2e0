/** What the JSX of islands becomes. The names are such that no variable of an island has them. */
export { Fragment as __Fragment, h as __h } from "preact";
