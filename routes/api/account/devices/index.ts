import { deviceView, listOwnDevices } from "../../../../lib/access/device_list.ts";
import { DeviceList } from "../../../../lib/accounts/schema.ts";
import { ListSchema, pageOf } from "../../../../lib/schemas/list.ts";
import { deviceTokens } from "../../../../lib/web/authentication/presented_tokens.ts";
import { endpoint, endpoints } from "../../../../lib/web/endpoints/endpoint.ts";

export const handler = endpoints({
  GET: endpoint({
    operationId: "listTrustedDevices",
    summary: "List your trusted devices",
    description: "Those where logins skip the second step, the ones that you trusted last first.",
    caller: "session",
    whileClosing: "refused",
    query: ListSchema,
    returns: { 200: DeviceList },
    sends: ["Link"],
  }, async ({ services, caller, query, ctx }) => {
    const devices = await listOwnDevices(services, caller, deviceTokens(ctx.req, services.config));
    return pageOf(devices.map((device) => deviceView(device, ctx.state.language)), query);
  }),
});
