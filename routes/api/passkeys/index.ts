import { endpoint, endpoints } from "../../../lib/web/endpoints/endpoint.ts";
import { ListSchema, pageOf } from "../../../lib/schemas/list.ts";
import { listPasskeys, passkeyView } from "../../../lib/sign_in/passkeys/passkey.ts";
import { addPasskey } from "../../../lib/sign_in/passkeys/passkey_addition.ts";
import { NewPasskeySchema, OnePasskey, PasskeyList } from "../../../lib/sign_in/passkeys/schema.ts";

export const handler = endpoints({
  GET: endpoint({
    operationId: "listPasskeys",
    summary: "List your passkeys",
    caller: "session",
    whileClosing: "refused",
    query: ListSchema,
    returns: { 200: PasskeyList },
    sends: ["Link"],
  }, async ({ services, caller, query }) => {
    return pageOf((await listPasskeys(services, caller)).map(passkeyView), query);
  }),
  POST: endpoint({
    operationId: "addPasskey",
    summary: "Add a passkey",
    description: "`credential` is what `navigator.credentials.create` returns, as JSON.",
    caller: "session",
    whileClosing: "refused",
    whileWaiting: "open",
    body: NewPasskeySchema,
    returns: { 201: OnePasskey },
    errors: ["TOO_MANY", "REAUTHENTICATION_REQUIRED"],
    limit: "security",
  }, async ({ services, caller, input }) => ({
    data: passkeyView(await addPasskey(services, caller, input)),
  })),
});
