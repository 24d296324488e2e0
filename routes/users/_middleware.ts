import { noIndex } from "../../lib/web/middleware/no_index.ts";
import { requirePageSession } from "../../lib/web/pages/page_session.ts";
import { define } from "../../lib/web/state.ts";
import { areMembersOnly } from "../../lib/users/user_visibility.ts";

/** Where guests see no one, they log in first. */
const requireSessionToSeePeople = define.middleware((ctx) =>
  areMembersOnly(ctx.state.services.config) ? requirePageSession(ctx) : ctx.next()
);

export const handler = [noIndex, requireSessionToSeePeople];
