import { z } from "zod";
import type { TableRules } from "../schemas/table.ts";
import { Time } from "../schemas/views.ts";

/** Groups of people. */
export interface GroupsTable {
  /** What apps and settings call it. It never changes. */
  name: string;
  /** What people read. */
  title: string;
  created_at: Date;
}

/** Who is in which group. A person is in a group while any row says so. */
export interface GroupMembersTable {
  id: string;
  user_id: string;
  group_name: string;
  /** Who says so: `admin`, `provider:` and the key of a provider, or `client:` and the id of an app. */
  source: string;
  created_at: Date;
  /** When a provider must have repeated it; null if it stays. */
  expires_at: Date | null;
}

export interface GroupTables {
  groups: GroupsTable;
  group_members: GroupMembersTable;
}

export const GROUP_TABLES = {
  groups: { restored: "always" },
  group_members: {
    restored: "always",
    ends: [{ column: "expires_at" }],
    exported: {
      as: "groups",
      entry: z.object({ group: z.string(), source: z.string(), createdAt: Time, expiresAt: Time.nullable() }),
      columns: { group: "group_name" },
      order: ["group_name", "source"],
    },
  },
} as const satisfies TableRules<GroupTables>;
