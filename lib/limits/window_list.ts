import type { Db } from "../../db/schema.ts";

/** The requests of a client that count at present. */
export interface OpenWindow {
  policy: string;
  /** As the table names it. */
  client: string;
  requests: number;
  endsAt: Date;
}

/** Lists the windows of these clients that have not ended. */
export async function listWindows(db: Db, { clients, now }: { clients: string[]; now: Date }): Promise<OpenWindow[]> {
  const rows = await db.selectFrom("rate_limits").select(["policy", "client", "requests", "window_ends_at"])
    .where("client", "in", clients).where("window_ends_at", ">", now).orderBy("policy").orderBy("client").execute();
  return rows.map(({ window_ends_at: endsAt, ...row }) => ({ ...row, endsAt }));
}
