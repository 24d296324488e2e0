import { sql } from "kysely";
import { registerVerifiedUser } from "./accounts.ts";
import { createToken } from "./api_tokens.ts";
import type { UsedApp } from "./test_app.ts";
import type { TestClient } from "./test_client.ts";

/** Who may ask for administration. Each has what they need to send a request. */
export const CALLERS = [
  "nobody",
  "user",
  "program of a user",
  "suspended admin",
  "token without scope",
  "token with scope",
  "admin without step-up",
  "admin",
] as const;
export type CallerName = typeof CALLERS[number];

/** Sends requests as one of the callers. */
export interface AdminCaller {
  client: TestClient;
  /** The id of the user; undefined for a guest. */
  id?: string;
  /** Presents the API token, if the caller is a program. */
  headers: Record<string, string>;
  /** The id of the token. */
  tokenId?: string;
}

/** Registers an admin. */
export async function registerAdmin(app: UsedApp, email = `${crypto.randomUUID()}@example.com`, name = "Grace Hopper") {
  const admin = await registerVerifiedUser(app, email, name);
  await app.services.db.updateTable("users").set({ role: "admin" }).where("id", "=", admin.id).execute();
  return admin;
}

/** Leaves no admin, as no way of the product can. */
export async function forgetAdmins({ services: { db } }: Pick<UsedApp, "services">): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`alter table users disable trigger user`.execute(trx);
    await trx.updateTable("users").set({ role: "user" }).execute();
    await sql`alter table users enable trigger user`.execute(trx);
  });
}

/** Creates one of the callers. */
export async function createCaller(app: UsedApp, name: CallerName): Promise<AdminCaller> {
  if (name === "nobody") return { client: app.client(), headers: {} };
  if (name === "user" || name === "program of a user") {
    const user = await registerVerifiedUser(app, `${crypto.randomUUID()}@example.com`);
    if (name === "user") return { ...user, headers: {} };
    const { headers } = await createToken(user.client);
    return { client: app.client(), id: user.id, headers };
  }
  const admin = await registerAdmin(app);
  const of = app.services.db.updateTable("users").where("id", "=", admin.id);
  if (name === "suspended admin") await of.set({ suspended_at: app.services.now() }).execute();
  if (name === "admin without step-up") {
    await app.services.db.updateTable("sessions").set({ authenticated_at: new Date(0) }).where("user_id", "=", admin.id)
      .execute();
  }
  if (name !== "token with scope" && name !== "token without scope") return { ...admin, headers: {} };
  const scopes = name === "token with scope" ? ["admin"] as const : ["users:read"] as const;
  const { headers, id: tokenId } = await createToken(admin.client, { scopes: [...scopes] });
  return { client: app.client(), id: admin.id, headers, tokenId };
}
