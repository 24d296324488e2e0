import { entries } from "./entry.ts";

/** Stored objects. The API document leaves them out: their addresses come from uploads. */
export const FILES = entries({
  "GET /files/{key*}": {
    operationId: "downloadFile",
    summary: "Download a file",
    caller: "public",
    tokens: "uploads:read",
    whileClosing: "open",
    returns: { 200: null },
  },
  "PUT /files/{key*}": {
    operationId: "uploadFile",
    summary: "Upload a file to a presigned URL",
    caller: "public",
    tokens: "uploads:write",
    whileClosing: "open",
    limit: { none: "A presigned URL accepts one file, and getting one is limited" },
    returns: { 200: null },
  },
});
