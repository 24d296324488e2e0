import type { Context, Middleware } from "fresh";
import { countBody } from "../../http/body.ts";
import { clientAddress, networksOf } from "../../http/client_address.ts";
import { isMultipart, MULTIPART_OVERHEAD_BYTES } from "../../http/multipart.ts";
import { createShares, OPEN_PART } from "../../http/shares.ts";
import { BODY_MAX_BYTES } from "../../http/text_body.ts";
import { IMAGE_MAX_BYTES } from "../../uploads/rules.ts";
import { FORM_MAX_FILES } from "../../uploads/schema.ts";
import type { Services } from "../../services/services.ts";
import { FORM_FILES_MAX_BYTES } from "../../uploads/file.ts";
import { countedUser } from "../authentication/viewer.ts";
import { define, type State } from "../state.ts";

const MEBIBYTE = 1024 * 1024;
/** The process's memory for JSON bodies and ordinary forms. */
const TEXTS_BYTES = 32 * MEBIBYTE;
/** What even an empty body costs, for its connection, its stream and its buffers. */
const BODY_MIN_BYTES = 32 * 1024;
const IMAGE_BYTES = IMAGE_MAX_BYTES + MULTIPART_OVERHEAD_BYTES;
/** The space for images that arrive or wait for a converter, and for files that go to a bucket from memory. */
const FILES_BYTES = 32 * IMAGE_BYTES;
/**
 * The system may give all of a person's connections to one isolate, which then has room for as many images as a form.
 */
const FILES_MIN_BYTES = FORM_MAX_FILES * IMAGE_BYTES / OPEN_PART;
/**
 * Maximum number of uploads that the process streams to the disk. Each has two files open and takes a few chunks of
 * memory.
 */
const MAX_STREAMS = 256;

/**
 * Gives the request bodies that are read at the same time their shares of memory and of the disk. Isolates share the
 * totals. A body counts for its client address, the /48 of that, and a file for its user too. It counts until the
 * response, by the bytes that have arrived.
 */
export function bodyShares(services: Services): Middleware<State> {
  const { isolates, s3, trustedProxies } = services.config;
  const fileMaxBytes = MULTIPART_OVERHEAD_BYTES + (s3 === undefined ? IMAGE_MAX_BYTES : FORM_FILES_MAX_BYTES);
  const texts = createShares({ total: TEXTS_BYTES / isolates, perBody: BODY_MIN_BYTES, largest: BODY_MAX_BYTES });
  const files = createShares({
    total: Math.max(FILES_BYTES / isolates, FILES_MIN_BYTES),
    perBody: BODY_MIN_BYTES,
    largest: fileMaxBytes,
  });
  const streams = createShares({ total: MAX_STREAMS / isolates, perBody: 1 });

  const withShare = async (ctx: Context<State>) => {
    const shares = isStreamed(ctx) ? streams : isMultipart(ctx.req) ? files : texts;
    const holders = networksOf(clientAddress(ctx.req, ctx.info, trustedProxies));
    if (shares !== texts) holders.push(...await userOf(ctx));
    using share = shares.open(holders);
    countBody(ctx.req, share);
    return await ctx.next();
  };
  return define.middleware((ctx) => ctx.req.body === null ? ctx.next() : withShare(ctx));
}

/**
 * The user who sends the file. Reads the decoded key of a presigned URL, because a path can be encoded in many ways.
 */
async function userOf(ctx: Context<State>): Promise<string[]> {
  const named = /^uploads\/([^/]+)\//.exec(ctx.params.key ?? "")?.[1];
  const userId = named ?? (await countedUser(ctx))?.id;
  return userId === undefined ? [] : [`user:${userId}`];
}

/** S3 requires the size of a file before its first byte, so there the files of the page's form are held in memory. */
function isStreamed({ req, url, state }: Context<State>): boolean {
  return url.pathname.startsWith("/files/") ||
    (url.pathname === "/uploads" && isMultipart(req) && state.services.config.s3 === undefined);
}
