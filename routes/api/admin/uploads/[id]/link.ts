import { actorIn } from "../../../../../lib/access/principal.ts";
import { openUpload } from "../../../../../lib/admin/uploads.ts";
import { linkView } from "../../../../../lib/uploads/private/links.ts";
import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { REASONED_ACT } from "../../../../../lib/api/admin_entries.ts";
import { OneLink } from "../../../../../lib/uploads/schema.ts";

export const handler = endpoints({
  POST: endpoint({
    ...REASONED_ACT,
    caller: "adminSession",
    operationId: "openUploadOf",
    uploads: "files",
    summary: "Make a link to a private file of someone else",
    description:
      "It works for five minutes, also for a file of a suspended account, but not for one that will be deleted. The owner " +
      "reads in their activity that an admin has opened the file, and the reason.",
    returns: { 200: OneLink },
    errors: ["NOT_UPLOADED"],
  }, async ({ services, caller, params, input, atCommit }) => {
    const act = { id: params.id, by: actorIn(caller), reason: input.reason };
    return linkView(await openUpload(services, act, atCommit(linkView)));
  }),
});
