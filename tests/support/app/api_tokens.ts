import { strictEqual } from "node:assert/strict";
import { type Scope, SCOPES } from "../../../lib/schemas/scopes.ts";
import type { TestClient } from "./test_client.ts";

/** An API token that a client has created. */
export interface CreatedToken {
  id: string;
  token: string;
  /** The header that presents it. */
  headers: { Authorization: string };
}

/** The scopes that every user may have. */
export const USER_SCOPES: Scope[] = SCOPES.filter((scope) => scope !== "admin");

/** Creates an API token through the API. By default it has all scopes of users. */
export async function createToken(
  client: TestClient,
  { name = "Script", scopes = USER_SCOPES, expiresInDays }: {
    name?: string;
    scopes?: Scope[];
    expiresInDays?: number;
  } = {},
): Promise<CreatedToken> {
  const response = await client.send("POST", "/api/tokens", { name, scopes, expiresInDays });
  const body = await response.json();
  strictEqual(response.status, 201, JSON.stringify(body));
  return { id: body.data.id, token: body.token, headers: { Authorization: `Bearer ${body.token}` } };
}
