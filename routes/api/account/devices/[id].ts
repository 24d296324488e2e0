import { forgetOwnDevice } from "../../../../lib/access/device_list.ts";
import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  DELETE: endpoint({
    operationId: "deleteTrustedDevice",
    summary: "Forget one of your trusted devices",
    description: "The next login there asks for the second step.",
    caller: "session",
    whileClosing: "refused",
    returns: { 204: null },
    errors: ["NOT_FOUND"],
    limit: "write",
  }, async ({ services, caller, params }) => {
    await forgetOwnDevice(services, caller, params.id);
  }),
});
