import { parseNoBody } from "../../../lib/http/parse.ts";
import { ok } from "../../../lib/http/json.ts";
import { requirePrincipal } from "../../../lib/web/authentication/require_user.ts";
import { define } from "../../../lib/web/state.ts";
import { creationOptions } from "../../../lib/sign_in/passkeys/options.ts";

export const handler = define.handlers({
  async POST(ctx) {
    const principal = await requirePrincipal(ctx);
    await parseNoBody(ctx.req);
    return ok({ options: await creationOptions(ctx.state.services, principal) });
  },
});
