/**
 * Preloaded into an app, this holds the responses to requests with the header `Hold-Response`, once all their work is
 * done. It prints {@linkcode HELD}. The test then kills the process: between the commit and the response.
 */
export const HOLD_RESPONSE = "Hold-Response";
export const HELD = "a response is held";

const { serve } = Deno;
const serveHeld = (options: Deno.ServeTcpOptions, handler: Deno.ServeHandler) =>
  serve(options, async (request, info) => {
    const isHeld = request.headers.has(HOLD_RESPONSE);
    const response = await handler(request, info);
    if (!isHeld) return response;
    console.log(`${HELD}: ${response.status}`);
    return await new Promise<never>(() => {});
  });
Deno.serve = serveHeld as typeof serve;
