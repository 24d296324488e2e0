import { STORED_FILES } from "../ui/list/stored_files.ts";

/**
 * Makes the list of stored files, and the space that they take, follow what has been uploaded. Takes them from a new
 * copy of the page. Rows that are there already stay, with what the person has selected in them.
 */
export async function showStoredFiles(): Promise<void> {
  const html = await fetch(location.href).then((response) => response.text(), () => "");
  const page = new DOMParser().parseFromString(html, "text/html");
  const replace = (id: string) => {
    const element = page.getElementById(id);
    if (element !== null) document.getElementById(id)?.replaceWith(element);
  };
  replace(STORED_FILES.space);
  replace(STORED_FILES.meter);
  const rowsOf = (root: Document) => root.querySelector(`#${STORED_FILES.list} ul`);
  const rows = rowsOf(document);
  if (rows === null) return replace(STORED_FILES.list);
  rows.prepend(...[...rowsOf(page)?.children ?? []].filter(({ id }) => document.getElementById(id) === null));
}
