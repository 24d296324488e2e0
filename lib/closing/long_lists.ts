import type { Db } from "../../db/schema.ts";
import { detailsForOwner } from "../activity/event_list.ts";
import { unixSeconds } from "../duration.ts";
import { PAGE_ROWS, pagesOf } from "../row_pages.ts";
import type { ExportView } from "../schemas/views/export.ts";
import type { Services } from "../services.ts";
import { uploadPagesOf } from "../uploads/library.ts";
import { uploadView } from "../uploads/upload.ts";

/** The pages of a list of the export. */
type Pages<Field extends keyof ExportView> = AsyncGenerator<ExportView[Field]>;

/** Exports the sessions of a user. */
export async function* exportSessions(db: Db, userId: string): Pages<"sessions"> {
  const columns = [
    "public_id",
    "method",
    "user_agent",
    "client_address",
    "created_at",
    "last_seen_at",
    "authenticated_at",
    "second_factor",
    "expires_at",
  ] as const;
  const pages = pagesOf("public_id", (after) =>
    db.selectFrom("sessions").select(columns).where("user_id", "=", userId)
      .where("public_id", ">", after).orderBy("public_id").limit(PAGE_ROWS).execute());
  for await (const rows of pages) {
    yield rows.map((row) => ({
      id: row.public_id,
      method: row.method,
      device: row.user_agent,
      clientAddress: row.client_address,
      createdAt: unixSeconds(row.created_at),
      lastSeenAt: unixSeconds(row.last_seen_at),
      authenticatedAt: unixSeconds(row.authenticated_at),
      secondFactor: row.second_factor,
      expiresAt: unixSeconds(row.expires_at),
    }));
  }
}

/** Exports the grants of apps, without their codes and keys. */
export async function* exportGrants(db: Db, userId: string): Pages<"grants"> {
  const columns = [
    "id",
    "client_id",
    "session_public_id",
    "is_offline",
    "scopes",
    "resource",
    "redirect_uri",
    "auth_time",
    "acr",
    "amr",
    "created_at",
    "last_used_at",
    "expires_at",
  ] as const;
  const pages = pagesOf("id", (after) =>
    db.selectFrom("grants").select(columns).where("user_id", "=", userId)
      .where("id", ">", after).orderBy("id").limit(PAGE_ROWS).execute());
  for await (const rows of pages) {
    yield rows.map((row) => ({
      id: row.id,
      clientId: row.client_id,
      sessionId: row.session_public_id,
      offline: row.is_offline,
      scopes: row.scopes,
      resource: row.resource,
      redirectUri: row.redirect_uri,
      authTime: unixSeconds(row.auth_time),
      acr: row.acr,
      amr: row.amr,
      createdAt: unixSeconds(row.created_at),
      lastUsedAt: unixSeconds(row.last_used_at),
      expiresAt: row.expires_at && unixSeconds(row.expires_at),
    }));
  }
}

/** Exports the devices of a user. Their order is that of time within a page, because the key is random. */
export async function* exportDevices(db: Db, userId: string): Pages<"devices"> {
  const pages = pagesOf(
    "token_hash",
    (after) =>
      db.selectFrom("devices").select(["token_hash", "created_at", "expires_at"]).where("user_id", "=", userId)
        .where("token_hash", ">", after).orderBy("token_hash").limit(PAGE_ROWS).execute(),
  );
  for await (const rows of pages) {
    yield rows.toSorted((a, b) => a.created_at.getTime() - b.created_at.getTime())
      .map((row) => ({ createdAt: unixSeconds(row.created_at), expiresAt: unixSeconds(row.expires_at) }));
  }
}

/** Exports what happened to the account of a user. */
export async function* exportEvents(db: Db, userId: string): Pages<"events"> {
  const columns = ["id", "kind", "session_public_id", "client_address", "device", "details", "created_at"] as const;
  const pages = pagesOf("id", (after) =>
    db.selectFrom("events").select(columns).where("user_id", "=", userId)
      .where("id", ">", after).orderBy("id").limit(PAGE_ROWS).execute());
  for await (const rows of pages) {
    yield rows.map((row) => ({
      id: row.id,
      kind: row.kind,
      createdAt: unixSeconds(row.created_at),
      sessionId: row.session_public_id,
      device: row.device,
      clientAddress: row.client_address,
      details: detailsForOwner(row),
    }));
  }
}

/** Exports what the user did to other accounts, without a word about these. */
export async function* exportActions(db: Db, userId: string): Pages<"actions"> {
  // The condition is that of an index, which skips what the user did to their own account.
  const pages = pagesOf(
    "id",
    (after) =>
      db.selectFrom("events").select(["id", "kind", "created_at"]).where("actor_id", "=", userId)
        .whereRef("user_id", "is distinct from", "actor_id")
        .where("id", ">", after).orderBy("id").limit(PAGE_ROWS).execute(),
  );
  for await (const rows of pages) {
    yield rows.map(({ id, kind, created_at }) => ({ id, kind, createdAt: unixSeconds(created_at) }));
  }
}

/** Exports the uploads of a user. */
export async function* exportUploads(services: Services, userId: string): Pages<"uploads"> {
  for await (const uploads of uploadPagesOf(services, userId)) {
    yield uploads.map((upload) => uploadView(services, upload));
  }
}

/** Exports the posts of a user. */
export async function* exportPosts(db: Db, userId: string): Pages<"posts"> {
  const pages = pagesOf(
    "id",
    (after) =>
      db.selectFrom("posts").select(["id", "title", "content", "published", "created_at"])
        .where("author_id", "=", userId).where("id", ">", Number(after)).orderBy("id").limit(PAGE_ROWS).execute(),
  );
  for await (const rows of pages) {
    yield rows.map(({ created_at, ...post }) => ({ ...post, createdAt: unixSeconds(created_at) }));
  }
}

/** Exports what was emailed to a user. Emails of the same moment, whose ids are in no order, are ordered by their kinds. */
export async function* exportEmails(db: Db, userId: string): Pages<"emails"> {
  const pages = pagesOf(
    "id",
    (after) =>
      db.selectFrom("outbox").select(["id", "kind", "status", "attempts", "created_at"]).where("user_id", "=", userId)
        .where("id", ">", after).orderBy("id").limit(PAGE_ROWS).execute(),
  );
  for await (const rows of pages) {
    yield rows.toSorted((a, b) => a.created_at.getTime() - b.created_at.getTime() || a.kind.localeCompare(b.kind))
      .map(({ created_at, ...email }) => ({ ...email, createdAt: unixSeconds(created_at) }));
  }
}
