import { createHash } from "node:crypto";
import type { MultipartForm, StagedFile, UploadedFile } from "../../http/multipart.ts";

/** Identifies the content of a body or a form. The boundary of a multipart form is not included: it is always new. */
export function contentHash(content: Uint8Array | MultipartForm): string {
  return sha256(content instanceof Uint8Array ? content : JSON.stringify(Object.entries(content).map(hashable)));
}

function hashable([name, value]: [string, MultipartForm[string]]): string[] {
  if (typeof value === "string") return [name, value];
  return [name, ...[value].flat().flatMap((file) => [file.name, file.contentType, hashOf(file)])];
}

function hashOf(file: UploadedFile | StagedFile): string {
  return "bytes" in file ? sha256(file.bytes) : file.sha256;
}

function sha256(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("base64");
}
