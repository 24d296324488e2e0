/** Information about the connection, and the id that the outer handler gave the request. */
export interface RequestInfo extends Deno.ServeHandlerInfo {
  requestId: string;
}

/** Returns the id that the log lines and the response of a request share. */
export function requestIdOf(info: Deno.ServeHandlerInfo): string {
  return (info as Partial<RequestInfo>).requestId ?? "";
}
