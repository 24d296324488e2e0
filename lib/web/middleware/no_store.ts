import { withNoStore } from "../../http/cookies.ts";
import { define } from "../state.ts";

/** Keeps caches from storing responses that depend on tokens and sessions. */
export const noStore = define.middleware(async (ctx) => withNoStore(await ctx.next()));
