import pg from "pg";
import type { Cluster } from "./postgres_cluster.ts";

/** Something that happens to a PostgreSQL server, after which it is what it was before. */
export interface DatabaseFault {
  name: string;
  /** Resolves when nobody gets an answer any more; with what ends the fault. */
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
  { name: "full of other people's connections", strike: occupy },
];

const OCCUPANT = "occupant";
const TOO_MANY_CONNECTIONS = "53300";

/** Ends everybody else's connections and takes their places, until all places are taken. */
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

/** Ends the connections of everybody else who is no occupant, in the middle of whatever they do; tells how many there were. */
export async function endOthers(client: pg.Client): Promise<number> {
  const { rowCount } = await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where backend_type = 'client backend' and application_name <> $1 and pid <> pg_backend_pid()`,
    [OCCUPANT],
  );
  return rowCount ?? 0;
}
