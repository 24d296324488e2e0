import { ok } from "node:assert/strict";
import { joinBytes } from "../../../lib/bytes/bytes.ts";
import type { Chunks } from "../../../lib/bytes/chunks.ts";
import type { MultipartForm } from "../../../lib/http/multipart.ts";
import type { StagedObject } from "../../../lib/services/object_store.ts";

interface StagedInMemory extends StagedObject {
  bytes: Uint8Array<ArrayBuffer>;
}

/** Takes the content of a file in a form, and keeps it in memory. It cannot be stored. */
export async function stageInMemory(content: Chunks): Promise<StagedInMemory> {
  const bytes = await joinBytes(content);
  return {
    bytes,
    sizeBytes: bytes.length,
    sha256: "",
    store: () => Promise.reject(new Error("not stored")),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Returns what {@linkcode stageInMemory} has kept of a field. */
export function bytesOf(field: MultipartForm[string]): Uint8Array<ArrayBuffer> {
  ok(typeof field === "object" && "bytes" in field);
  return field.bytes as Uint8Array<ArrayBuffer>;
}
