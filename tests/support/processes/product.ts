import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

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

/**
 * Starts the product on any port of 127.0.0.1. It agrees to every `Upgrade`, as some products agree to HTTP/2, and then
 * sends back what arrives.
 */
export async function startProduct(): Promise<Product> {
  const requests: ProductRequest[] = [];
  const record = ({ url, rawHeaders }: IncomingMessage): ProductRequest => {
    const headers = new Headers();
    for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i], rawHeaders[i + 1]);
    const request = { url: new URL(url!, product.url), headers };
    requests.push(request);
    return request;
  };
  const server = createServer((incoming, response) => respond(record(incoming), response, product));
  server.on("upgrade", (incoming, socket) => {
    const protocol = record(incoming).headers.get("upgrade");
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`);
    socket.on("error", () => {}).pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const product: Product = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    loopsTo: "",
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return product;
}

function respond({ url, headers }: ProductRequest, response: ServerResponse, { loopsTo }: Product): void {
  if (url.pathname === "/own-401") return void response.writeHead(401).end("The product's own");
  if (url.pathname === "/loop") return void response.writeHead(303, { Location: loopsTo }).end();
  const name = decodeURIComponent(headers.get("x-foyer-user-name") ?? "nobody");
  response.setHeader("Content-Type", "text/html; charset=utf-8");
  response.end(`<!DOCTYPE html><title>Wiki</title><link rel="icon" href="data:,"><h1>Hello, ${name}</h1>`);
}
