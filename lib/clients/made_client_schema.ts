import { z } from "zod";
import { Reason } from "../admin/schema.ts";
import type { Config } from "../config/config.ts";
import { validationFailed } from "../errors/errors.ts";
import { issueMessage, type Problem } from "../errors/problem.ts";
import { clientProblems, ClientSchema } from "./client_schema.ts";
import { text } from "./file_fields.ts";
import { OWN_SCOPES } from "./own_scopes.ts";
import { SERVICE_ONLY_SCOPES } from "../schemas/scopes.ts";
import { registrationsOf } from "./registrations.ts";

const onlyInFile = issueMessage({ rule: "onlyInFile" });

/**
 * A client that an admin makes in the browser: the fields of CLIENTS_FILE, except for those that only its operator may
 * decide. The scope for admins is none that a client can ask for.
 */
export const MadeClientSchema = z.strictObject({
  ...ClientSchema.omit({ client_id: true, client_secret_hashes: true }).shape,
  first_party: z.literal(false, onlyInFile).default(false),
  require_pkce: z.literal(true, onlyInFile).default(true),
  manages_groups: z.array(text).max(0, onlyInFile).default([]),
});
export type MadeFields = z.output<typeof MadeClientSchema>;

/** The body of a request: the fields, and why. The document does not say that unknown fields are refused. */
export const MadeClientBody = MadeClientSchema.extend({ reason: Reason }).meta({ additionalProperties: undefined });

/**
 * Requires that the fields of a client fit together, and to what this service knows.
 *
 * @throws {AppError} VALIDATION_FAILED.
 */
export function requireFittingFields(config: Config, fields: MadeFields, { isPublic }: { isPublic: boolean }): void {
  const { resources } = registrationsOf(config);
  const scopes = new Set([
    ...OWN_SCOPES,
    ...SERVICE_ONLY_SCOPES,
    ...[...resources.values()].flatMap((resource) => [...resource.scopes.keys()]),
  ]);
  const client = { ...fields, client_id: "", client_secret_hashes: [] };
  const found = clientProblems(client, { isPublic, scopes, resources: new Set(resources.keys()) });
  if (found.length === 0) return;
  const problems: Record<string, Problem[]> = {};
  for (const [path, problem] of found) (problems[path.replace(/^\.|\[.*$/g, "")] ??= []).push(problem);
  throw validationFailed(problems);
}
