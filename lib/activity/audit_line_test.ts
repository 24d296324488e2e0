import { deepStrictEqual } from "node:assert/strict";
import { z } from "zod";
import { AuditLineSchema } from "./schema.ts";

Deno.test("docs/audit-log.schema.json describes a line of the audit log", async () => {
  const text = await Deno.readTextFile(new URL("../../docs/audit-log.schema.json", import.meta.url));
  deepStrictEqual(JSON.parse(text), z.toJSONSchema(AuditLineSchema));
});
