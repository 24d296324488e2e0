import { endpoint, endpoints } from "../../../../../lib/web/endpoints/endpoint.ts";
import { actorIn } from "../../../../../lib/access/principal.ts";
import { changeRole } from "../../../../../lib/admin/role.ts";
import { ADMIN_ACT } from "../../../../../lib/api/admin_entries.ts";
import { RoleChanged, RoleSchema } from "../../../../../lib/admin/schema.ts";

export const handler = endpoints({
  PUT: endpoint({
    ...ADMIN_ACT,
    caller: "adminSession",
    operationId: "changeRoleOf",
    summary: "Make someone an admin, or an ordinary user again",
    description: "The last admin stays.",
    body: RoleSchema,
    returns: { 200: RoleChanged },
    errors: ["LAST_ADMIN"],
  }, async ({ services, caller, params, input: { role, reason } }) => {
    await changeRole(services, { who: params.id, by: actorIn(caller), role, reason });
    return { success: true, role };
  }),
});
