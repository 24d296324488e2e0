import type { App } from "../app.ts";
import { serve } from "../serve.ts";
import { applySnapshot, type Snapshot } from "../snapshot.ts";
import type { ListenOptions } from "../types.ts";

/** Serves an application with live reload and stack traces on error pages. */
export async function serveDevelopment<State>(
  app: App<State>,
  snapshot: Snapshot,
  options: ListenOptions,
): Promise<void> {
  const { basePath } = app.config;
  app.config.mode = "development";
  const script = `<script type="module" src="${basePath}${snapshot.devEntry}"></script>`;
  applySnapshot(app, {
    ...snapshot,
    renderError: (error, req, response) => {
      const isPage = req.headers.get("accept")?.includes("text/html");
      return isPage ? errorPage(error, response, script) : response;
    },
  });
  const handler = app.handler();
  const revision = crypto.randomUUID();
  const isReloadStream = (request: Request) => new URL(request.url).pathname === `${basePath}/_frsh/alive`;
  await serve(
    async (request, info) => isReloadStream(request) ? aliveResponse(revision) : await handler(request, info),
    basePath,
    options,
  );
}

/** Returns an event stream that sends the server's revision and stays open until the server stops. */
function aliveResponse(revision: string): Response {
  const message = new TextEncoder().encode(`retry: 500\ndata: ${revision}\n\n`);
  const body = new ReadableStream({ start: (controller) => controller.enqueue(message) });
  return new Response(body, { headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store" } });
}

/** Returns a page with the stack trace. Development only, because the trace reveals internals. */
function errorPage(error: unknown, { status, headers }: Response, script: string): Response {
  const title = escape(error instanceof Error ? error.message : String(error));
  const html = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${script}</head>` +
    `<body><h1>${title}</h1><pre>${escape(Deno.inspect(error))}</pre></body></html>`;
  const pageHeaders = new Headers(headers);
  pageHeaders.delete("Content-Length");
  pageHeaders.set("Content-Type", "text/html; charset=utf-8");
  return new Response(html, { status, headers: pageHeaders });
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
