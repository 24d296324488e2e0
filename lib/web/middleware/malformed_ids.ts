import { isId, NO_ID } from "../../schemas/list.ts";
import { define } from "../state.ts";

/** The parameters of paths that are ids. */
const ID_PARAMETERS = ["id", "delivery"];

/**
 * Treats a malformed id in the path like one that does not exist, so that no route has to check it: each responds with
 * its own 404, after it has checked who asks. A database refuses some texts, such as one with a NUL.
 */
export const replaceMalformedIds = define.middleware((ctx) => {
  for (const name of ID_PARAMETERS) {
    const id = ctx.params[name];
    if (id !== undefined && !isId(id)) ctx.params[name] = NO_ID;
  }
  return ctx.next();
});
