import { v7 } from "uuid";
import { eventBy, lockPrincipal, type Principal } from "./principal.ts";
import { recordEvent } from "../activity/events.ts";
import type { AtCommit } from "../../db/at_commit.ts";
import { hashToken } from "../crypto/token.ts";
import { DAY_SECONDS, secondsAfter, unixSeconds } from "../duration.ts";
import { AppError, validationFailed } from "../errors/errors.ts";
import type { ApiTokenView, NewApiToken } from "./schema.ts";
import { Id } from "../schemas/list.ts";
import { isScopeOff } from "../config/uploads_setting.ts";
import { ADMIN_SCOPE, type Scope } from "../schemas/scopes.ts";
import type { Services } from "../services/services.ts";
import { sendAlert } from "../mail/links/alert.ts";
import { lockUser } from "../users/user_lock.ts";
import { endTokens } from "./api_token.ts";
import { createApiToken, tokenHint } from "./token_format.ts";
import { remindAt } from "./token_reminder.ts";

/** How many tokens a user may have at a time. */
const MAX_TOKENS = 50;

/** A token as its owner sees it. */
export interface ListedToken {
  id: string;
  name: string;
  scopes: Scope[];
  /** The start of the token. */
  hint: string;
  createdAt: Date;
  expiresAt: Date;
  lastUsedAt: Date | null;
}

/** A new token as its owner sees it, and the token itself, which is not stored. */
export interface CreatedToken {
  listed: ListedToken;
  token: string;
}

/**
 * Creates a token and alerts its owner. The caller checks the proof.
 *
 * @throws {AppError} VALIDATION_FAILED for a scope that the user may not have; TOO_MANY; UNAUTHENTICATED when the
 * session has ended.
 */
export async function issueApiToken(
  services: Services,
  principal: Principal,
  { name, scopes, expiresInDays }: NewApiToken,
  atCommit?: AtCommit<CreatedToken>,
): Promise<CreatedToken> {
  const { user: { id: userId, role }, client } = principal;
  if (scopes.includes(ADMIN_SCOPE) && role !== "admin") throw validationFailed({ scopes: [{ rule: "adminsOnly" }] });
  requireScopesOn(services.config, scopes);
  const now = services.now();
  const token = createApiToken();
  const id = v7({ msecs: now.getTime() });
  const expiresAt = secondsAfter(now, expiresInDays * DAY_SECONDS);
  const hint = tokenHint(token);
  const created = { listed: { id, name, scopes, hint, createdAt: now, expiresAt, lastUsedAt: null }, token };
  await services.db.transaction().execute(async (trx) => {
    await lockPrincipal(trx, principal, now);
    const existing = await trx.selectFrom("api_tokens").select("id").where("user_id", "=", userId)
      .where("expires_at", ">", now).limit(MAX_TOKENS).execute();
    if (existing.length === MAX_TOKENS) throw new AppError("TOO_MANY", { reason: "tokens", max: MAX_TOKENS });
    await trx.insertInto("api_tokens").values({
      id,
      user_id: userId,
      name,
      token_hash: hashToken(token),
      hint,
      scopes,
      created_at: now,
      expires_at: expiresAt,
      remind_at: remindAt(now, expiresAt),
    }).execute();
    await recordEvent(trx, { ...eventBy(principal), kind: "token.made", details: { token: id, name, scopes } }, now);
    await sendAlert(trx, services, { kind: "token_created", userId, client, now });
    await atCommit?.(trx, created);
  });
  return created;
}

/** @throws {AppError} VALIDATION_FAILED for a scope that UPLOADS switches off, as for one that does not exist. */
function requireScopesOn(config: Services["config"], scopes: Scope[]): void {
  const off = scopes.find((scope) => isScopeOff(config, scope));
  if (off !== undefined) throw validationFailed({ scopes: [{ rule: "scope", scope: off }] });
}

/** Lists the valid tokens of a user, newest first. */
export async function listTokens(
  { db, now }: Pick<Services, "db" | "now">,
  { id: userId }: { id: string },
): Promise<ListedToken[]> {
  const rows = await db.selectFrom("api_tokens")
    .select(["id", "name", "scopes", "hint", "created_at", "expires_at", "last_used_at"])
    .where("user_id", "=", userId).where("expires_at", ">", now())
    .orderBy("id", "desc").execute();
  return rows.map(({ created_at, expires_at, last_used_at, ...row }) => ({
    ...row,
    createdAt: created_at,
    expiresAt: expires_at,
    lastUsedAt: last_used_at,
  }));
}

/** The fields of a token in the API. */
export function tokenView({ id, name, scopes, hint, createdAt, expiresAt, lastUsedAt }: ListedToken): ApiTokenView {
  return {
    id,
    name,
    scopes,
    hint,
    createdAt: unixSeconds(createdAt),
    expiresAt: unixSeconds(expiresAt),
    lastUsedAt: lastUsedAt && unixSeconds(lastUsedAt),
  };
}

/**
 * Ends one of the principal's tokens.
 *
 * @throws {AppError} NOT_FOUND for an unknown token or another user's.
 */
export async function deleteToken({ db, now }: Services, principal: Principal, id: string): Promise<void> {
  const { user: { id: userId }, client, session } = principal;
  const ended = Id.safeParse(id).success && await db.transaction().execute(async (trx) => {
    await lockUser(trx, userId);
    const end = { reason: "deleted", client, sessionId: session.id, now: now() } as const;
    return await endTokens(trx, { userId, id }, end);
  });
  if (!ended) throw new AppError("NOT_FOUND", { reason: "token" });
}
