import { z } from "zod";
import { HealthView } from "../schemas/views/service.ts";
import { entries } from "./entry.ts";

/** The service itself. */
export const SERVICE = entries({
  "GET /api/health": {
    operationId: "checkHealth",
    summary: "Check that the service works",
    description: "503 while the database is unreachable.",
    caller: "public",
    whileClosing: "open",
    returns: { 200: HealthView, 503: HealthView },
  },
  "GET /api/openapi.json": {
    operationId: "getApiDocument",
    summary: "Return this document",
    caller: "public",
    whileClosing: "open",
    headers: ["If-None-Match"],
    returns: { 200: z.looseObject({ openapi: z.string() }), 304: null },
    sends: ["ETag"],
  },
});
