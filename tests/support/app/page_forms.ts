import { strictEqual } from "node:assert/strict";
import { Page } from "./page_reader.ts";
import type { TestClient } from "./test_client.ts";

/** Returns the HTML of a page. */
export async function html(client: TestClient, path: string): Promise<string> {
  return await (await client.get(path)).text();
}

/** Submits the first form of the page that has these fields, and returns where the response redirects to. */
export async function submit(client: TestClient, page: string, fields: Record<string, string>): Promise<string> {
  const action = new Page(page).formWith(Object.keys(fields)).action;
  const response = await client.submit(action, fields);
  strictEqual(response.status, 303);
  return response.headers.get("Location")!;
}
