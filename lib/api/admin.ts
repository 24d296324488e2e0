import { AccountListSchema } from "../schemas/admin/lists.ts";
import { AdminAccountList, OneAdminAccount } from "../schemas/views/admin.ts";
import { entries } from "./entry.ts";

/** The accounts of everyone, for admins. */
export const ADMIN = entries({
  "GET /api/admin/users": {
    operationId: "listAccounts",
    summary: "List accounts",
    description: "Newest first.",
    caller: "admin",
    whileClosing: "refused",
    query: AccountListSchema,
    returns: { 200: AdminAccountList },
    sends: ["Link"],
  },
  "GET /api/admin/users/{id}": {
    operationId: "getAccountOf",
    summary: "Show one account",
    description: "With all that tells why someone cannot log in, and without secrets.",
    caller: "admin",
    whileClosing: "refused",
    returns: { 200: OneAdminAccount },
  },
});
