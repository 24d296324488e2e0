import { z } from "zod";
import { like } from "./views.ts";

/** Source: docs/rules.md, Health. */
export const HealthView = z.object({
  status: z.enum(["ok", "error"]),
  db: z.enum(["connected", "disconnected"]),
  timestamp: z.iso.datetime().meta({ sample: "2026-03-01T12:00:00.500Z" }),
  version: like("1.0.0"),
});
export type HealthView = z.infer<typeof HealthView>;

/** Source: docs/rules.md, Health. */
export const LivenessView = z.object({ status: z.literal("ok") });
export type LivenessView = z.infer<typeof LivenessView>;

/** Source: docs/rules.md, Health. */
export const ReadinessView = z.object({
  status: z.enum(["ok", "degraded", "error"]),
  db: z.enum(["connected", "read-only", "disconnected"]),
  store: z.enum(["ok", "failed"]),
  mail: z.enum(["ok", "late", "unknown"]).meta({ description: "`unknown` while the database does not respond" }),
});
export type ReadinessView = z.infer<typeof ReadinessView>;

/** An error. The API document lists the codes of each route. */
export const ErrorView = z.object({
  message: z.string(),
  code: z.string().meta({ description: "A stable code for programs" }),
  error: z.string().meta({ description: "The same as `message`" }),
  details: z.record(z.string(), z.array(z.string())).meta({
    description: "Messages by field; empty if there are none",
  }),
});
export type ErrorView = z.infer<typeof ErrorView>;

/** An error, for clients that accept `application/problem+json`. Source: RFC 9457. */
export const ProblemView = z.object({
  type: z.literal("about:blank"),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(),
  errors: z.record(z.string(), z.array(z.string())),
});

/** The API document. */
export const OpenApiView = z.looseObject({ openapi: like("3.1.0") });
