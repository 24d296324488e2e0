import type { Session } from "./process_session.ts";

/** The URLs of a direct upload. */
export interface Presigned {
  presignedUrl: string;
  publicUrl: string;
}

const CONTENT_TYPE = "video/mp4";

/** Requests a presigned URL for a video, by default of any size. */
export async function presign(session: Session, size?: number): Promise<Presigned> {
  const request = { filename: "video.mp4", contentType: CONTENT_TYPE, size };
  return await (await session.post("/api/upload/presign", request)).json();
}

/** Requests presigned URLs, each of which accepts one upload at a time. Returns their paths and queries. */
export async function presignMany(session: Session, count: number, size: number): Promise<string[]> {
  const presigned = await Promise.all(Array.from({ length: count }, () => presign(session, size)));
  return presigned.map(({ presignedUrl }) => new URL(presignedUrl)).map(({ pathname, search }) => pathname + search);
}

/** Uploads the video. */
export function put({ presignedUrl }: Presigned, body: BodyInit): Promise<Response> {
  return fetch(presignedUrl, { method: "PUT", body, headers: { "Content-Type": CONTENT_TYPE } });
}

/** Returns the status of a response and discards its body. */
export async function statusOf(response: Promise<Response>): Promise<number> {
  const { status, body } = await response;
  await body?.cancel();
  return status;
}

/** Returns the names and sizes of the uploads that are in progress. */
export async function temporaryFiles(folder: string): Promise<[name: string, sizeBytes: number][]> {
  const path = `${folder}/objects/.temporary`;
  const names = await Array.fromAsync(Deno.readDir(path), ({ name }) => name);
  const sizeOf = (name: string) => Deno.stat(`${path}/${name}`).then(({ size }) => size, () => null); // deleted since
  const sizes = await Promise.all(names.map(sizeOf));
  return names.flatMap((name, index) => sizes[index] === null ? [] : [[name, sizes[index]]]);
}
