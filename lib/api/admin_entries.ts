import { ActSchema, ReasonedActSchema } from "../admin/schema.ts";

/** What the entries of all reads of admins have in common. */
export const ADMIN_READ = { caller: "admin", whileClosing: "refused" } as const;
/** The same for all acts. API tokens with the scope `admin` need no proof. */
export const ADMIN_ACT = { ...ADMIN_READ, needsProof: true, limit: "write" } as const;
/** An act with a reason. */
export const REASONED_ACT = { ...ADMIN_ACT, body: ReasonedActSchema, isRepeatable: true } as const;
/** An act that may have a reason. */
export const PLAIN_ACT = { ...ADMIN_ACT, body: ActSchema, bodyIsOptional: true, isRepeatable: true } as const;
