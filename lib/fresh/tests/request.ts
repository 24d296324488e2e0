import type { App } from "fresh";

/** Sends a request line such as "GET /path" to an application. */
export function send<State>(app: App<State>, line: string, init: RequestInit = {}): Promise<Response> {
  const [method, path] = line.split(" ");
  return app.handler()(new Request(`http://localhost${path}`, { method, ...init }));
}

/** Sends a request and returns the status and the body as "200 body". */
export async function answer<State>(app: App<State>, line: string, init?: RequestInit): Promise<string> {
  const response = await send(app, line, init);
  return `${response.status} ${await response.text()}`;
}
