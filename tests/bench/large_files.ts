import { createReadStream } from "node:fs";
import { type ClientRequest, request } from "node:http";
import { pipeline } from "node:stream/promises";
import { readSettings } from "../../lib/config/config.ts";
import { createS3Store } from "../../lib/storage/s3/s3_store.ts";
import { type AppProcess, startApp } from "../support/processes/app_process.ts";
import { measureStrain } from "../support/processes/process_probe.ts";
import { register, type Session } from "../support/processes/process_session.ts";
import { startS3Server } from "../support/uploads/s3_server.ts";
import type { Rig } from "./rig.ts";
import { inTurns, type Row } from "./table.ts";

const MEGABYTE = 1_000_000;
const GIBIBYTE = 1024 ** 3;
/** The largest file that the configuration allows, and that S3 accepts in one request. */
const FILE_BYTES = 5 * GIBIBYTE;
/** The S3 server of the tests holds objects in memory. */
const BUCKET_FILE_BYTES = GIBIBYTE / 2;
const ROUNDS = 3;
const CONTENT_TYPE = "video/mp4";

/**
 * Compares uploads and downloads of a sparse file of 5 GiB to `cp`, and an upload to a bucket to the same PUT without
 * Foyer. A sparse file takes no time to read, so this measures the way through the app and the writing.
 */
export async function largeFiles({ folder }: Rig): Promise<Row[]> {
  const source = await makeSparseFile(`${folder}/source`, FILE_BYTES);
  const dataDir = await Deno.makeTempDir({ dir: folder });
  await using app = await startApp({ dataDir, env: { UPLOAD_MAX_BYTES: String(FILE_BYTES), UPLOAD_QUOTA_BYTES: "0" } });
  const session = await register(app, "large@example.com");
  let publicUrl = "";
  const upload = async () => {
    // Frees the space of the previous round.
    await Deno.remove(`${dataDir}/objects/uploads`, { recursive: true }).catch(() => {});
    const { presignedUrl, ...presigned } = await presign(session, FILE_BYTES);
    publicUrl = presigned.publicUrl;
    await putFile(presignedUrl, source, FILE_BYTES);
  };
  const rows: Row[] = [];
  const copy = () => timed(() => run("cp", ["--sparse=never", source, `${folder}/copy`], `${folder}/copy`));
  const compare = async (what: string, act: () => Promise<unknown>, target: string) => {
    const { result, growthBytes } = await strainOf(app, () => inTurns(() => timed(act), copy, ROUNDS));
    rows.push(
      { what: `${what}, compared to \`cp\``, ...result, unit: "s", target },
      { what: `${what}: memory growth`, ours: [growthBytes / MEGABYTE], unit: "MB", target: "<= 100" },
    );
  };
  await compare("upload of 5 GiB to the disk", upload, "<= 6");
  await compare("download of 5 GiB from the disk", () => readAll(publicUrl), "<= 3");
  return [...rows, ...await compareBucket(folder)];
}

async function compareBucket(folder: string): Promise<Row[]> {
  const source = await makeSparseFile(`${folder}/bucket-source`, BUCKET_FILE_BYTES);
  await using server = await startS3Server();
  const env = { ...server.env, UPLOAD_MAX_BYTES: String(BUCKET_FILE_BYTES) };
  await using app = await startApp({ dataDir: await Deno.makeTempDir({ dir: folder }), env });
  const session = await register(app, "bucket@example.com");
  const bucket = createS3Store({ ...readSettings(server.env).s3!, baseUrl: "http://localhost", now: () => new Date() });
  const grant = { key: "uploads/raw/raw.mp4", contentType: CONTENT_TYPE, sizeBytes: BUCKET_FILE_BYTES };
  const { result, growthBytes } = await strainOf(app, () =>
    inTurns(
      () =>
        timed(async () => putFile((await presign(session, BUCKET_FILE_BYTES)).presignedUrl, source, BUCKET_FILE_BYTES)),
      () => timed(async () => putFile(await bucket.presignPut(grant, 300), source, BUCKET_FILE_BYTES)),
      ROUNDS,
    ));
  const what = "upload of 512 MiB to a bucket";
  return [
    { what: `${what}, compared to a raw PUT`, ...result, unit: "s", target: "<= 1.1" },
    { what: `${what}: memory growth`, ours: [growthBytes / MEGABYTE], unit: "MB", target: "<= 100" },
  ];
}

async function strainOf<T>(app: AppProcess, act: () => Promise<T>): Promise<{ result: T; growthBytes: number }> {
  let result!: T;
  const { growthBytes } = await measureStrain(app, async () => void (result = await act()));
  return { result, growthBytes };
}

async function presign(session: Session, size: number): Promise<{ presignedUrl: string; publicUrl: string }> {
  const declared = { filename: "video.mp4", contentType: CONTENT_TYPE, size };
  return await (await session.post("/api/upload/presign", declared)).json();
}

/** Uploads a file with its length, which `fetch` does not send for a stream. */
async function putFile(url: string, path: string, sizeBytes: number): Promise<void> {
  const headers = { "Content-Type": CONTENT_TYPE, "Content-Length": sizeBytes };
  const sent = request(url, { method: "PUT", headers });
  const status = statusOf(sent);
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), sent);
  if (await status !== 200) throw new Error(`PUT ${new URL(url).pathname}: ${await status}`);
}

function statusOf(sent: ClientRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    sent.on("response", (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    sent.on("error", reject);
  });
}

async function readAll(url: string): Promise<void> {
  let sizeBytes = 0;
  for await (const chunk of (await fetch(url)).body!) sizeBytes += chunk.length;
  if (sizeBytes !== FILE_BYTES) throw new Error(`The download has ${sizeBytes} bytes`);
}

async function makeSparseFile(path: string, sizeBytes: number): Promise<string> {
  using file = await Deno.create(path);
  await file.truncate(sizeBytes);
  return path;
}

/** Runs a command, then waits until the file that it has written is on the disk, as Foyer does. */
async function run(command: string, args: string[], written: string): Promise<void> {
  const { success } = await new Deno.Command(command, { args }).output();
  if (!success) throw new Error(`${command} failed`);
  using file = await Deno.open(written);
  await file.sync();
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await act();
  return (performance.now() - startedAt) / 1000;
}
