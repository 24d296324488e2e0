import type { App } from "fresh";

/** Sends one request, written "GET /path", to an application. */
export function send<State>(app: App<State>, line: string, init: RequestInit = {}): Promise<Response> {
  const [method, path] = line.split(" ");
  return app.handler()(new Request(`http://localhost${path}`, { method, ...init }));
}

/** Status and body of the answer, as "200 body". */
export async function answer<State>(app: App<State>, line: string, init?: RequestInit): Promise<string> {
  const response = await send(app, line, init);
  return `${response.status} ${await response.text()}`;
}
