import { z } from "zod";
import { HealthView } from "../schemas/views/service.ts";
import { operations } from "./operation.ts";

/** The service itself. */
export const SERVICE = operations({
  "GET /api/health": {
    summary: "Check that the service works",
    description: "503 while the database is unreachable.",
    access: "public",
    returns: { 200: HealthView, 503: HealthView },
  },
  "GET /api/openapi.json": {
    summary: "Return this document",
    access: "public",
    headers: ["If-None-Match"],
    returns: { 200: z.looseObject({ openapi: z.string() }), 304: null },
    sends: ["ETag"],
  },
});
