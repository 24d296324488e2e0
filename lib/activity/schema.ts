import { z } from "zod";

/** One line of the audit log. docs/audit-log.schema.json is the same as a JSON schema. */
export const AuditLineSchema = z.object({
  id: z.string().describe("Identifies the event. A change of a profile within the same hour and session repeats it"),
  kind: z.string().describe("What happened, such as session.started"),
  createdAt: z.string().describe("When, in UTC (ISO 8601)"),
  userId: z.string().nullable().describe("The account that the event is about; null once it is deleted"),
  actorId: z.string().nullable().describe("The user who caused the event; null if unknown"),
  actor: z.string().nullable().describe(
    "Who caused the event, if it was no user: command line, or client: and the id of an app that acts as itself",
  ),
  sessionId: z.string().nullable().describe("The session in which the event happened"),
  clientAddress: z.string().nullable().describe("From where it was caused, also by an admin"),
  requestId: z.string().nullable().describe("The request, as the log of the service names it"),
  device: z.string().nullable().describe("The User-Agent header"),
  details: z.record(z.string(), z.unknown()).describe("More facts, depending on the kind. Never a secret"),
}).describe("One line of Foyer's audit log");

/** One line of the audit log. */
export type AuditLine = z.infer<typeof AuditLineSchema>;
