/**
 * What libraries of browser apps add to every request, to follow it through several services or to mark it as sent by a
 * script. Nothing here reads them, but without this permission the browser would not send the request.
 */
export const TRACING_HEADERS = "baggage, sentry-trace, traceparent, tracestate, X-Requested-With";
