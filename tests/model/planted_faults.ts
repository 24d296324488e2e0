import type { RuleName } from "./checker.ts";

/** A fault that the model must find. It is planted into a copy of the source. */
export interface PlantedFault {
  name: string;
  /** The rule that the model finds broken. */
  breaks: RuleName;
  /** Relative to the project folder. */
  file: string;
  /** Texts that are each in the file once, and what replaces them. */
  changes: [from: string, to: string][];
}

export const PLANTED_FAULTS: PlantedFault[] = [
  {
    name: "a logout leaves the session",
    breaks: "nothing is accepted after its end was acknowledged",
    file: "lib/access/session.ts",
    changes: [['(trx) => endSessions(trx, ids, { reason: "logout", client, now: now() })', "() => Promise.resolve()"]],
  },
  {
    name: "each instance remembers API tokens that have worked",
    breaks: "nothing is accepted after its end was acknowledged",
    file: "lib/access/api_token.ts",
    changes: [
      ["const selectToken = prepare(tokenQuery);", "const selectToken = prepare(tokenQuery);\nconst seen: any = {};"],
      ["(await selectToken(db, values))", "(await (seen[values.tokenHash] ??= selectToken(db, values)))"],
    ],
  },
  {
    name: "after a suspension, the sessions come back",
    breaks: "nothing is accepted after its end was acknowledged",
    file: "lib/admin/suspension.ts",
    changes: [[
      'await endAccess(trx, { userId: id }, { reason: "account_suspended", client: null, by, now });',
      "",
    ]],
  },
  {
    name: "people who are suspended can log in",
    breaks: "nothing passes a gate that was acknowledged to be shut",
    file: "lib/access/session_start.ts",
    changes: [['if (isSuspended) throw new AppError("ACCOUNT_SUSPENDED");', ""]],
  },
  {
    name: "a recovery code works again",
    breaks: "what works once is accepted once",
    file: "lib/sign_in/second_factor/recovery_codes.ts",
    changes: [[
      'const { numDeletedRows } = await trx.deleteFrom("recovery_codes")',
      'const { numDeletedRows } = await trx.updateTable("recovery_codes").set({ code_hash: hash })',
    ], ["if (numDeletedRows === 0n) return false;", ""]],
  },
  {
    name: "two requests at once use the same link",
    breaks: "what works once is accepted once",
    file: "lib/mail/links/emailed_token.ts",
    changes: [[
      '.where("used", "=", false).where("expires_at", ">", now)\n    .returning("next")',
      '.where("expires_at", ">", now)\n    .returning("next")',
    ]],
  },
  {
    name: "a reset of the password leaves the sessions",
    breaks: "nothing is accepted after its end was acknowledged",
    file: "lib/sign_in/address_proof.ts",
    changes: [[
      "await endAccess(trx, { userId, exceptId }",
      'if (way !== "reset") await endAccess(trx, { userId, exceptId }',
    ]],
  },
  {
    name: "the link of an alert leaves API tokens",
    breaks: "nothing is accepted after its end was acknowledged",
    file: "lib/access/access_end.ts",
    changes: [[
      "  await endTokens(trx, { userId }, end);",
      '  if (end.reason !== "not_me") await endTokens(trx, { userId }, end);',
    ]],
  },
  {
    name: "a new password leaves the other sessions",
    breaks: "nothing is accepted after its end was acknowledged",
    file: "lib/sign_in/password_change.ts",
    changes: [["if (!keepOthers) {", "if (keepOthers === null) {"]],
  },
  {
    name: "an emailed code works again",
    breaks: "what works once is accepted once",
    file: "lib/mail/links/emailed_code.ts",
    changes: [[
      'const { numDeletedRows } = await db.deleteFrom("emailed_codes")',
      'const { numUpdatedRows: numDeletedRows } = await db.updateTable("emailed_codes").set({ tries: 0 })',
    ]],
  },
  {
    name: "two requests at once exchange the same code of an app",
    breaks: "what works once is accepted once",
    file: "lib/grants/grant.ts",
    changes: [[
      '.where("id", "=", id).where("code_spent_at", "is", null).returning("id"),',
      '.where("id", "=", id).returning("id"),',
    ]],
  },
  {
    name: "old refresh tokens go on working",
    breaks: "nothing is accepted after its end was acknowledged",
    file: "lib/authorization_server/tokens/refresh.ts",
    changes: [["return generation + 1 === current.generation &&", "return true ||"]],
  },
  {
    name: "each instance counts attempts alone",
    breaks: "limits are not exceeded",
    file: "lib/limits/request_window.ts",
    changes: [[
      "clients.map((client) => ({ policy, client,",
      "clients.map((client) => ({ policy, client: client + Deno.pid,",
    ]],
  },
  {
    name: "a change of the profile is answered before it is stored",
    breaks: "nothing acknowledged is lost",
    file: "lib/accounts/profile.ts",
    changes: [[
      "const row = await updateUser(trx, { id, now }, change);",
      "setTimeout(() => void updateUser(services.db as any, { id, now }, change), 5000);\n" +
      "    const row = { ...before, ...texts } as typeof before;",
    ]],
  },
  {
    name: "an emailed link has no end",
    breaks: "nothing is accepted after its time",
    file: "lib/mail/links/emailed_token.ts",
    changes: [["expires_at: expiresAt,", "expires_at: new Date(expiresAt.getTime() + 10 * 365 * 86_400_000),"]],
  },
];

/**
 * Plants a fault.
 *
 * @param folder of the copy of the source.
 * @throws {Error} if the file does not have a text exactly once: the fault must be written anew.
 */
export async function plant({ name, file, changes }: PlantedFault, folder: string): Promise<void> {
  await Deno.writeTextFile(
    `${folder}/${file}`,
    withChanges(await Deno.readTextFile(`${folder}/${file}`), { name, changes }),
  );
}

/** Returns a source with the changes of a fault. */
export function withChanges(source: string, { name, changes }: Pick<PlantedFault, "name" | "changes">): string {
  return changes.reduce((text, [from, to]) => {
    const parts = text.split(from);
    if (parts.length !== 2) throw new Error(`Cannot plant "${name}": ${parts.length - 1} times in the file: ${from}`);
    return parts.join(to);
  }, source);
}
