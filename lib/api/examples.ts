import examples from "./examples.json" with { type: "json" };

/** A real exchange with the service, which a test records. */
export interface Example {
  /** The path and query of the request, or the path of the operation if absent. */
  target?: string;
  /** The body of the request. */
  body?: unknown;
  status: number;
  /** The body of the response, if it has one. */
  result?: unknown;
}

/** Returns the example of an operation. */
export function exampleOf(key: string): Example | undefined {
  return (examples as Record<string, Example>)[key];
}
