import { createHash } from "node:crypto";
import type { FormFile, MultipartForm } from "../../http/multipart.ts";

/** Identifies the content of a body or a form. The boundary of a multipart form is not included: it is always new. */
export async function contentHash(content: Uint8Array | MultipartForm): Promise<string> {
  if (content instanceof Uint8Array) return sha256(content);
  return sha256(JSON.stringify(await Promise.all(Object.entries(content).map(hashable))));
}

async function hashable([name, value]: [string, MultipartForm[string]]): Promise<string[]> {
  if (typeof value === "string") return [name, value];
  const files = await Promise.all(
    [value].flat().map(async (file) => [file.name, file.contentType, await hashOf(file)]),
  );
  return [name, ...files.flat()];
}

async function hashOf(file: FormFile): Promise<string> {
  return "image" in file ? await file.image.hash() : file.sha256;
}

function sha256(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest("base64");
}
