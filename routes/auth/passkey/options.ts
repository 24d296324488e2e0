import { parseNoBody } from "../../../lib/http/parse.ts";
import { ok } from "../../../lib/http/json.ts";
import { define } from "../../../lib/web/state.ts";
import { requestOptions } from "../../../lib/sign_in/passkeys/options.ts";

export const handler = define.handlers({
  /** Not limited, because pages call it whenever they load: it neither reads nor stores anything. */
  async POST(ctx) {
    await parseNoBody(ctx.req);
    return ok({ options: await requestOptions(ctx.state.services) });
  },
});
