/** A request that the product received. */
export interface ProductRequest {
  url: URL;
  headers: Headers;
}

/** A product behind Foyer. It believes the headers of its proxy, and shows them. */
export interface Product extends AsyncDisposable {
  url: string;
  /** The requests so far, oldest first. */
  requests: ProductRequest[];
  /** Where its path /loop redirects everyone. */
  loopsTo: string;
}

/** Starts the product on any port of 127.0.0.1. */
export function startProduct(): Product {
  const requests: ProductRequest[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (req) => {
    const url = new URL(req.url);
    requests.push({ url, headers: new Headers(req.headers) }); // those of a WebSocket end with its request
    if (req.headers.get("upgrade") === "websocket") return echo(req);
    if (url.pathname === "/own-401") return new Response("The product's own", { status: 401 });
    if (url.pathname === "/loop") return Response.redirect(product.loopsTo, 303);
    const name = decodeURIComponent(req.headers.get("x-foyer-user-name") ?? "nobody");
    return new Response(`<!DOCTYPE html><title>Wiki</title><link rel="icon" href="data:,"><h1>Hello, ${name}</h1>`, {
      headers: { "Content-Type": "text/html; charset=utf-8" },
    });
  });
  const product: Product = {
    url: `http://127.0.0.1:${server.addr.port}`,
    requests,
    loopsTo: "",
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  return product;
}

/** Sends back what arrives through a WebSocket. */
function echo(req: Request): Response {
  const { socket, response } = Deno.upgradeWebSocket(req);
  socket.onmessage = ({ data }) => socket.send(data);
  return response;
}
