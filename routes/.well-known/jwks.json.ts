import { ok } from "../../lib/http/json.ts";
import { define } from "../../lib/web/state.ts";
import { listPublicKeys } from "../../lib/access/signing_keys.ts";

/** A new key is published an hour before it signs. */
const CACHED_SECONDS = 300;

/** The keys with which products check tokens. Scripts of every origin may read them. Source: RFC 7517, 5. */
export const handler = define.handlers({
  async GET(ctx) {
    const keys = await listPublicKeys(ctx.state.services);
    return ok({ keys }, { "Cache-Control": `public, max-age=${CACHED_SECONDS}`, "Access-Control-Allow-Origin": "*" });
  },
}, { whileClosing: "open" });
