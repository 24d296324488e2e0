import type { Kysely, RawBuilder, Selectable } from "kysely";
import { ACCESS_TABLES, type AccessTables } from "../lib/access/tables.ts";
import { ACCOUNT_TABLES, type AccountTables } from "../lib/accounts/tables.ts";
import { ACTIVITY_TABLES, type ActivityTables } from "../lib/activity/tables.ts";
import { CLIENT_TABLES, type ClientTables } from "../lib/clients/tables.ts";
import { GRANT_TABLES, type GrantTables } from "../lib/grants/tables.ts";
import { GROUP_TABLES, type GroupTables } from "../lib/groups/tables.ts";
import { INSTANCE_TABLES, type InstanceTables } from "../lib/jobs/tables.ts";
import { LIMIT_TABLES, type LimitTables } from "../lib/limits/tables.ts";
import { MAIL_TABLES, type MailTables } from "../lib/mail/tables.ts";
import { SIGN_IN_TABLES, type SignInTables } from "../lib/sign_in/tables.ts";
import { UPLOAD_TABLES, type UploadTables } from "../lib/uploads/tables.ts";
import { USER_TABLES, type UserTables } from "../lib/users/tables.ts";
import { IDEMPOTENCY_TABLES, type IdempotencyTables } from "../lib/web/idempotency/tables.ts";
import { WEBHOOK_TABLES, type WebhookTables } from "../lib/webhooks/tables.ts";
import type { RowRules, TableRules } from "../lib/schemas/table.ts";

/** A pool or a transaction, because `Transaction<Database>` is assignable to it. */
export type Db = Kysely<Database>;

/** Returns the SQL for the database's time, `offsetSeconds` from now. */
export type DatabaseTime = (offsetSeconds?: number) => RawBuilder<Date>;

/** Runs work that takes longer than a request may: on a connection of its own, without time limits. */
export type LongWork = <Result>(work: (db: Db) => Promise<Result>) => Promise<Result>;

/** The tables of the database, by name. Each room declares its own. */
export interface Database
  extends
    UserTables,
    ActivityTables,
    LimitTables,
    MailTables,
    UploadTables,
    AccessTables,
    AccountTables,
    GroupTables,
    ClientTables,
    GrantTables,
    SignInTables,
    IdempotencyTables,
    WebhookTables,
    InstanceTables {}

/** What holds for the rows of each table, with the exact types; in an order in which rows of all can be inserted. */
export const TABLES = {
  ...USER_TABLES,
  ...ACTIVITY_TABLES,
  ...GROUP_TABLES,
  ...CLIENT_TABLES,
  ...LIMIT_TABLES,
  ...MAIL_TABLES,
  ...UPLOAD_TABLES,
  ...ACCESS_TABLES,
  ...ACCOUNT_TABLES,
  ...GRANT_TABLES,
  ...SIGN_IN_TABLES,
  ...IDEMPOTENCY_TABLES,
  ...WEBHOOK_TABLES,
  ...INSTANCE_TABLES,
} satisfies TableRules<Database>;

/** The same, for what goes through all tables. */
export const TABLE_RULES: Record<string, RowRules> = TABLES;

export type UserRow = Selectable<Database["users"]>;
