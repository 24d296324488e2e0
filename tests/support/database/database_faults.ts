import pg from "pg";
import type { Cluster } from "./postgres_cluster.ts";

/** A temporary fault of a PostgreSQL server. */
export interface DatabaseFault {
  name: string;
  /** Starts the fault. Resolves when the server no longer responds, with a function that ends the fault. */
  strike(cluster: Cluster): Promise<() => Promise<void>>;
}

export const DATABASE_FAULTS: DatabaseFault[] = [
  {
    name: "stopped",
    async strike(cluster) {
      await cluster.stop();
      return () => cluster.start();
    },
  },
  {
    name: "killed, as in a failover that drops every connection",
    async strike(cluster) {
      await cluster.kill();
      return () => cluster.start();
    },
  },
  {
    name: "frozen",
    async strike(cluster) {
      await cluster.pause();
      return () => cluster.resume();
    },
  },
  { name: "full of other connections", strike: occupy },
];

const OCCUPANT = "occupant";
const TOO_MANY_CONNECTIONS = "53300";

/** Ends all other connections and opens new ones, until the server accepts no more. */
async function occupy({ url }: Cluster): Promise<() => Promise<void>> {
  const first = await connect(url);
  const occupants = [first];
  while (true) {
    try {
      occupants.push(await connect(url));
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === TOO_MANY_CONNECTIONS)) throw error;
      if (await endOthers(first) === 0) break;
    }
  }
  return async () => void await Promise.all(occupants.map((occupant) => occupant.end()));
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, application_name: OCCUPANT });
  await client.connect();
  return client;
}

/** Ends all connections except those of `occupy` and its own, even during a query. Returns their number. */
export async function endOthers(client: pg.Client): Promise<number> {
  const { rowCount } = await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where backend_type = 'client backend' and application_name <> $1 and pid <> pg_backend_pid()`,
    [OCCUPANT],
  );
  return rowCount ?? 0;
}
