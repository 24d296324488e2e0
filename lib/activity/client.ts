/** Where a request comes from, as sessions and events record it. */
export interface Client {
  /** The address by which its requests are counted. */
  address: string;
  /** The User-Agent header, at most 512 characters; null without one. */
  userAgent: string | null;
}
