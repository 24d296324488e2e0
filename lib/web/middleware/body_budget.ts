import type { Context, Middleware } from "fresh";
import { SECOND_MS } from "../../duration.ts";
import { createBudget } from "../../http/budget.ts";
import type { Services } from "../../services.ts";
import { IMAGE_MAX_BYTES } from "../../schemas/image_rules.ts";
import { FORM_FILES_MAX_BYTES } from "../../uploads/file.ts";
import { declaredLength } from "../../http/body.ts";
import { clientAddress } from "../../http/client_address.ts";
import { isMultipart, MULTIPART_OVERHEAD_BYTES } from "../../http/multipart.ts";
import { BODY_MAX_BYTES } from "../../http/text_body.ts";
import { currentUser } from "../authentication/viewer.ts";
import { define, type State } from "../state.ts";

const MEBIBYTE = 1024 * 1024;
/** The process's memory for JSON bodies and ordinary forms: 512 of the largest. */
const TEXTS_BYTES = 32 * MEBIBYTE;
/** Even a small body costs memory for its connection and stream. */
const TEXT_MIN_BYTES = 8 * 1024;
/** The space for images that wait for a converter, and for files that go to a bucket from memory: 32 of the largest images. */
const FILES_BYTES = 32 * (IMAGE_MAX_BYTES + MULTIPART_OVERHEAD_BYTES);
/**
 * How many images of one person may wait for space in each isolate, and how long: 20 sent at once are accepted even if the
 * system gives all of their connections to one isolate.
 */
const WAITING_IMAGES = { maxWaiting: 20, maxWaitMs: 30 * SECOND_MS };
/**
 * Maximum number of uploads that the process streams to the disk. Each has two files open and takes a few chunks of
 * memory.
 */
const MAX_STREAMS = 256;

/**
 * Limits the request bodies that are read at the same time. Isolates share the limits. One client address can take at
 * most half of each limit, and so can the files of one user. For images it is three quarters, and the next ones wait
 * before they are read, so that one person can send 20 at once. A body counts until the response, by its declared size
 * if there is one.
 *
 * @throws {AppError} UNAVAILABLE when there are too many.
 */
export function bodyBudget(services: Services): Middleware<State> {
  const { isolates, s3 } = services.config;
  const fileMaxBytes = MULTIPART_OVERHEAD_BYTES +
    (s3 === undefined ? IMAGE_MAX_BYTES : FORM_FILES_MAX_BYTES);
  const share = (total: number, largest: number) => Math.max(Math.ceil(total / isolates), largest);
  const texts = createBudget(share(TEXTS_BYTES, BODY_MAX_BYTES), { perHolder: share(TEXTS_BYTES / 2, BODY_MAX_BYTES) });
  const files = createBudget(share(FILES_BYTES, fileMaxBytes), {
    perHolder: share(FILES_BYTES * 0.75, fileMaxBytes),
    ...WAITING_IMAGES,
  });
  const streams = createBudget(share(MAX_STREAMS, 1), { perHolder: share(MAX_STREAMS / 2, 1) });

  const withinBudget = async (ctx: Context<State>) => {
    const next = () => ctx.next();
    const declaredBytes = declaredLength(ctx.req.headers);
    const address = addressOf(ctx);
    if (isStreamed(ctx)) return await streams({ cost: 1, holders: [address, await userOf(ctx)] }, next);
    if (isMultipart(ctx.req)) {
      const holders = [address, await userOf(ctx)];
      const cost = Math.min(Math.max(declaredBytes, MULTIPART_OVERHEAD_BYTES), fileMaxBytes);
      return await files({ cost, holders }, next);
    }
    const cost = Math.min(Math.max(declaredBytes, TEXT_MIN_BYTES), BODY_MAX_BYTES);
    return await texts({ cost, holders: [address] }, next);
  };
  return define.middleware((ctx) => ctx.req.body === null ? ctx.next() : withinBudget(ctx));
}

function addressOf({ req, info, state }: Context<State>): string {
  return `address:${clientAddress(req, info, state.services.config.trustedProxies)}`;
}

/**
 * The user who sends the file. Reads the decoded key of a presigned URL, because a path can be encoded in many ways.
 */
async function userOf(ctx: Context<State>): Promise<string> {
  const named = /^uploads\/([^/]+)\//.exec(ctx.params.key ?? "")?.[1];
  return `user:${named ?? (await currentUser(ctx))?.id ?? ""}`;
}

/** S3 requires the size of a file before its first byte, so there the files of the page's form are held in memory. */
function isStreamed({ req, url, state }: Context<State>): boolean {
  return url.pathname.startsWith("/files/") ||
    (url.pathname === "/uploads" && isMultipart(req) && state.services.config.s3 === undefined);
}
