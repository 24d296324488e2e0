import { parseQuery } from "../../../lib/http/parse.ts";
import { okList } from "../../../lib/http/json.ts";
import { requireUser } from "../../../lib/web/authentication/require_user.ts";
import { define } from "../../../lib/web/state.ts";
import { ListSchema } from "../../../lib/schemas/list.ts";
import { listUploads } from "../../../lib/uploads/library.ts";
import { uploadView } from "../../../lib/uploads/upload.ts";

export const handler = define.handlers({
  async GET(ctx) {
    const { services } = ctx.state;
    const { id: userId } = await requireUser(ctx);
    const query = parseQuery(ctx.url, ListSchema);
    const { uploads, nextCursor } = await listUploads(services, { ...query, userId });
    return okList(ctx.url, { data: uploads.map((upload) => uploadView(services, upload)), nextCursor });
  },
});
