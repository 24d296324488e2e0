import { eventBy, lockCaller } from "../../../../lib/access/principal.ts";
import { linkView, makeLink } from "../../../../lib/uploads/private/links.ts";
import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";
import { LinkSchema, OneLink } from "../../../../lib/uploads/schema.ts";

export const handler = endpoints({
  POST: endpoint({
    operationId: "createUploadLink",
    uploads: "files",
    summary: "Make a link to a private file",
    description:
      "Everyone who has the link can read the file until it expires or is revoked. So a token that can make links can read " +
      "all private files.",
    caller: "uploads:write",
    whileClosing: "refused",
    body: LinkSchema,
    bodyIsOptional: true,
    returns: { 200: OneLink },
    errors: ["NOT_FOUND", "NOT_UPLOADED"],
    isRepeatable: true,
    limit: "link",
  }, async ({ services, caller, params: { id }, input, atCommit }) => {
    const { expiresIn: expiresInSeconds, download } = input;
    const act = { id, by: eventBy(caller), lock: lockCaller(caller), expiresInSeconds, download };
    return linkView(await makeLink(services, act, atCommit(linkView)));
  }),
});
