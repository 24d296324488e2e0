/** The client that sent a request, as sessions and events record it. */
export interface Client {
  /** The IPv4 address, or the /64 network of an IPv6 address. Rate limits use it too. */
  address: string;
  /** The User-Agent header, at most 512 characters; null without one. */
  userAgent: string | null;
  /** The id of the request, which its log lines have too. */
  requestId?: string;
}
