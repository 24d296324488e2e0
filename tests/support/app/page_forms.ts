import { strictEqual } from "node:assert/strict";
import type { TestClient } from "./test_client.ts";

/** Returns the HTML of a page. */
export async function html(client: TestClient, path: string): Promise<string> {
  return await (await client.get(path)).text();
}

/** Returns the part of a page between its header and its footer. */
export function mainOf(page: string): string {
  return /<main[^]*<\/main>/.exec(page)![0];
}

/** Submits the first form of the page that has these fields, and returns where the response redirects to. */
export async function submit(client: TestClient, page: string, fields: Record<string, string>): Promise<string> {
  const forms = mainOf(page).matchAll(/<form[^>]*? method="post" action="([^"]+)"[^]*?<\/form>/g);
  const form = forms.find(([html]) => Object.keys(fields).every((name) => html.includes(`name="${name}"`)))!;
  const action = form[1].replaceAll("&amp;", "&");
  const response = await client.submit(action, fields);
  strictEqual(response.status, 303);
  return response.headers.get("Location")!;
}
