/** A host of metadata documents, whose answers the test controls. */
export interface DocumentHost {
  /** Returns the address of a document. */
  url(name?: string): string;
  /** The paths that were requested. */
  requests: string[];
  /** Computes the response to a request for a document. By default, it is right. */
  answer: (id: string) => Response | Promise<Response>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Where the documents lead back to. */
export const AGENT_CALLBACK = "http://127.0.0.1:7777/callback";

/** Returns a document that is right, with some changes. */
export function documentOf(id: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    client_id: id,
    client_name: "The agent",
    redirect_uris: [AGENT_CALLBACK, "https://agent.example/callback"],
    token_endpoint_auth_method: "none",
    logo_uri: "https://agent.example/logo.svg",
    ...changes,
  };
}

/** Starts a host on this machine. */
export function startDocumentHost(): DocumentHost {
  const stopping = new AbortController();
  const options = { port: 0, hostname: "127.0.0.1", signal: stopping.signal, onListen() {} };
  const server = Deno.serve(options, async (request) => {
    const { pathname } = new URL(request.url);
    host.requests.push(pathname);
    return await host.answer(host.url(pathname.slice(1)));
  });
  const host: DocumentHost = {
    url: (name = crypto.randomUUID()) => `http://127.0.0.1:${server.addr.port}/${name}`,
    requests: [],
    answer: (id) => Response.json(documentOf(id)),
    [Symbol.asyncDispose]() {
      stopping.abort(); // does not wait for responses that never end
      return server.finished;
    },
  };
  return host;
}
