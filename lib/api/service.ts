import { z } from "zod";
import { HealthView, LivenessView, ReadinessView } from "../schemas/service.ts";
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
  "GET /api/health/live": {
    operationId: "checkLiveness",
    summary: "Check that the process responds",
    caller: "public",
    whileClosing: "open",
    returns: { 200: LivenessView },
  },
  "GET /api/health/ready": {
    operationId: "checkReadiness",
    summary: "Check what the service depends on",
    description:
      "503 while the database does not respond or cannot write. If only the object store fails or emails are " +
      "late, the status is `degraded`, with 200.",
    // No limit: it asks the store at most once in five seconds, and concurrent requests share their queries.
    caller: "public",
    whileClosing: "open",
    returns: { 200: ReadinessView, 503: ReadinessView },
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

/** Stored objects. The API document leaves them out: their addresses come from uploads. */
export const FILES = entries({
  "GET /files/{key*}": {
    operationId: "downloadFile",
    uploads: "photos",
    summary: "Download a file",
    caller: "public",
    tokens: "uploads:read",
    whileClosing: "open",
    returns: { 200: null },
  },
  "PUT /files/{key*}": {
    operationId: "uploadFile",
    uploads: "files",
    summary: "Upload a file to a presigned URL",
    caller: "public",
    tokens: "uploads:write",
    whileClosing: "open",
    errors: ["UPLOAD_IN_PROGRESS"],
    limit: { none: "A presigned URL accepts one file, and getting one is limited" },
    returns: { 200: null },
  },
});
