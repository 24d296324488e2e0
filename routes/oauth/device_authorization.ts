import { DeviceAuthorizationForm } from "../../lib/access/schema.ts";
import { startDeviceRequest } from "../../lib/authorization_server/device/device_request.ts";
import { DeviceAuthorizationView } from "../../lib/authorization_server/schema.ts";
import { requireRegistrations } from "../../lib/config/features.ts";
import { endpoints } from "../../lib/web/endpoints/endpoint.ts";
import { countRequest, setLimit } from "../../lib/web/middleware/rate_limit.ts";
import { appEndpoint, AS_CLIENT } from "../../lib/web/oauth/app_endpoint.ts";

export const handler = endpoints({
  POST: appEndpoint(
    {
      operationId: "startDevice",
      summary: "Ask for access as a device",
      description: "For programs without a browser. The person types `user_code` at `verification_uri`, on another " +
        "device, while the program asks for tokens with `device_code`. Only requests that nobody has allowed count.",
      caller: "public",
      whileClosing: "open",
      requireFeature: requireRegistrations,
      form: DeviceAuthorizationForm,
      forApps: {
        ...AS_CLIENT,
        errors: [...AS_CLIENT.errors, "unauthorized_client", "invalid_scope", "invalid_target"],
      },
      returns: { 200: DeviceAuthorizationView },
      limit: "device_start",
    },
    async ({ services, client, from, form, ctx }) => {
      setLimit(ctx, "device_start");
      await countRequest(ctx);
      return await startDeviceRequest(services, { client, from }, {
        scope: form.get("scope"),
        resources: form.resources,
      });
    },
  ),
});
