/** What the server knows about a connection, with the id that the outer handler gives the request. */
export interface RequestInfo extends Deno.ServeHandlerInfo {
  requestId: string;
}

/** Returns the id that the log lines and the response of a request share. */
export function requestIdOf(info: Deno.ServeHandlerInfo): string {
  return (info as Partial<RequestInfo>).requestId ?? "";
}
