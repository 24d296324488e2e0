import type { Context } from "fresh";
import { z } from "zod";
import { DAY_SECONDS, SECOND_MS } from "../../duration.ts";
import { AppError } from "../../errors/errors.ts";
import { issueMessage } from "../../errors/problem.ts";
import { parseJson } from "../../http/parse.ts";
import { readJson } from "../../http/text_body.ts";
import type { State } from "../state.ts";
import { requireDeveloper } from "./mail_folder.ts";

const FORWARD_MAX_SECONDS = 3650 * DAY_SECONDS;
const RANGE = issueMessage({ rule: "between", min: 1, max: FORWARD_MAX_SECONDS });
const ForwardSchema = z.object({ seconds: z.number(RANGE).int(RANGE).min(1, RANGE).max(FORWARD_MAX_SECONDS, RANGE) });

/**
 * Moves the clock forward, so that the tests of a product need not wait until a session ends.
 *
 * @throws {AppError} NOT_FOUND without APP_ENV=test, and as {@linkcode requireDeveloper} does.
 */
export async function forwardTestClock(ctx: Context<State>): Promise<Response> {
  requireDeveloper(ctx);
  const { services } = ctx.state;
  if (services.forwardClock === undefined) throw new AppError("NOT_FOUND", { reason: "page" });
  const { seconds } = parseJson(await readJson(ctx.req), ForwardSchema);
  services.forwardClock(seconds * SECOND_MS);
  return Response.json({ success: true, now: services.now().toISOString() });
}
