import { discoveryHandler } from "../../lib/web/endpoints/discovery.ts";
import { endpoints } from "../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({ GET: discoveryHandler("GET /.well-known/oauth-authorization-server") });
