/** `fetch` with the given client. The DOM types, which the project also uses, do not have the option `client`. */
export function fetchWith(client: Deno.HttpClient, url: string, init: RequestInit = {}): Promise<Response> {
  const options: RequestInit & { client: Deno.HttpClient } = { ...init, client };
  return fetch(url, options);
}
