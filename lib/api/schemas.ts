import { z } from "zod";
import { AdminAccountView, AuditEventView, ListedAccountView, MailView } from "../admin/schema.ts";
import {
  AccountView,
  Closing,
  EventView,
  IdentityView,
  LoggedIn,
  Proved,
  Registered,
  SessionView,
} from "../accounts/schema.ts";
import { Done } from "../schemas/views.ts";
import { OAuthErrorView } from "../authorization_server/schema.ts";
import { ErrorView, HealthView, LivenessView, ProblemView, ReadinessView } from "../schemas/service.ts";
import { ImageView, PresignedUploadView, UploadView } from "../uploads/schema.ts";
import { ListedUserView, ProfileView, UserView } from "../users/schema.ts";

/** The views that the document names, so that clients get named types for them. */
const NAMED_VIEWS: Record<string, z.ZodType> = {
  Account: AccountView,
  AdminAccount: AdminAccountView,
  ApiError: ErrorView,
  AuditEvent: AuditEventView,
  Closing,
  Done,
  Event: EventView,
  Health: HealthView,
  Identity: IdentityView,
  Image: ImageView,
  ListedAccount: ListedAccountView,
  ListedUser: ListedUserView,
  Liveness: LivenessView,
  LoggedIn,
  Mail: MailView,
  OAuthError: OAuthErrorView,
  Problem: ProblemView,
  PresignedUpload: PresignedUploadView,
  Profile: ProfileView,
  Proved,
  Readiness: ReadinessView,
  Registered,
  Session: SessionView,
  Upload: UploadView,
  User: UserView,
};

/** A schema in the language of JSON Schema 2020-12, which OpenAPI 3.1 uses. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** Turns zod schemas into JSON Schemas that refer to the named views. */
export interface SchemaConverter {
  /** The named views, for `components.schemas`. */
  named: Record<string, JsonSchema>;
  /** Returns the schema, or a reference if it has a name. */
  convert(schema: z.ZodType): JsonSchema;
}

/** Converts all schemas of the document at once, so that they share the named ones. */
export function createSchemaConverter(schemas: z.ZodType[]): SchemaConverter {
  // An `id` in the schema's own metadata would make it refer to itself.
  const registry = z.registry<{ id: string }>();
  const ids = new Map(Object.entries(NAMED_VIEWS).map(([name, view]) => [view, name]));
  for (const schema of schemas) if (!ids.has(schema)) ids.set(schema, `unnamed-${ids.size}`);
  for (const [schema, id] of ids) registry.add(schema, { id });
  // As input: an output would forbid unknown properties, and new ones will be added.
  const { schemas: converted } = z.toJSONSchema(registry, { io: "input", uri: reference, override: simplify });
  const named = Object.fromEntries(Object.keys(NAMED_VIEWS).map((name) => [name, withoutNames(converted[name])]));
  return {
    named,
    convert(schema) {
      const id = ids.get(schema)!;
      return Object.hasOwn(named, id) ? { $ref: reference(id) } : withoutNames(converted[id]);
    },
  };
}

function reference(name: string): string {
  return `#/components/schemas/${name}`;
}

/** The largest and the smallest safe integer are not our limits. */
function simplify({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

function withoutNames({ $schema: _, $id: _id, ...schema }: JsonSchema): JsonSchema {
  return schema;
}
