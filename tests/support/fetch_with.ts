/** `fetch` on connections of one's own; the types of browsers, which the project has too, do not know of clients. */
export function fetchWith(client: Deno.HttpClient, url: string, init: RequestInit = {}): Promise<Response> {
  const options: RequestInit & { client: Deno.HttpClient } = { ...init, client };
  return fetch(url, options);
}
