import pg from "pg";

/** Marks every address as verified, so that benchmarks can log in without reading emails. */
export async function verifyEveryone(databaseUrl: string): Promise<void> {
  await withClient(
    databaseUrl,
    (client) => client.query("update users set email_verified = true where not email_verified"),
  );
}

/** Makes a user agree to everything that an app asks for in a benchmark. */
export async function giveConsent(databaseUrl: string, email: string, clientId: string): Promise<void> {
  await withClient(
    databaseUrl,
    (client) =>
      client.query(
        `insert into consents (id, user_id, client_id, scopes, resources, created_at, last_used_at)
          select gen_random_uuid(), id, $2, '{openid,profile,email}', '{}', now(), now() from users where email = $1`,
        [email, clientId],
      ),
  );
}

/** Gives everyone the password of one user, so that benchmarks can log in as any of them. */
export async function sharePassword(databaseUrl: string, email: string): Promise<void> {
  await withClient(
    databaseUrl,
    (client) =>
      client.query("update users set password_hash = (select password_hash from users where email = $1)", [email]),
  );
}

/** Makes every browser that is known for one user known for all. */
export async function shareBrowser(databaseUrl: string): Promise<void> {
  await withClient(
    databaseUrl,
    (client) =>
      client.query(
        `insert into devices (user_id, token_hash, created_at, expires_at)
          select users.id, token_hash, devices.created_at, expires_at from devices, users on conflict do nothing`,
      ),
  );
}

/** Creates another, empty database on the same server. Returns its URL. */
export async function createDatabase(databaseUrl: string, name: string): Promise<string> {
  await withClient(databaseUrl, (client) => client.query(`create database ${name}`));
  return Object.assign(new URL(databaseUrl), { pathname: `/${name}` }).href;
}

/** Returns the session token of a user created by {@linkcode fill}, by number. */
export const tokenOf = (number: number) => `session-token-of-user-${String(number).padStart(21, "0")}`;

/**
 * Fills a migrated database with users, created one per second up to now. Each has several sessions, and the token of
 * one of them is {@linkcode tokenOf}.
 */
export async function fill(databaseUrl: string, users: number, sessionsEach = 2): Promise<void> {
  const base64url = (expression: string) => `translate(encode(sha256((${expression})::bytea), 'base64'), '+/=', '-_')`;
  const token = (number: string) => `'session-token-of-user-' || lpad(${number}::text, 21, '0')`;
  const id = `
    lpad(to_hex((extract(epoch from now()) * 1000)::bigint - (${users} - n) * 1000), 12, '0') || md5(n::text)`;
  const uuid = `substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-7' || substr(h, 14, 3) || '-8' || substr(h, 18, 3) ||
    '-' || substr(h, 21, 12)`;
  await withClient(databaseUrl, async (client) => {
    await client.query(`
      create temporary table numbered as
      select n, ${uuid} as id from (select n, ${id} as h from generate_series(1, ${users}) n) numbers`);
    await client.query(`
      insert into users (id, email, name, created_at, updated_at, email_verified)
      select id, 'user' || n || '@example.com', 'User ' || n, now() - (${users} - n) * interval '1 second', now(), true
      from numbered`);
    await client.query("set session_replication_role = replica"); // checking ten million foreign keys takes minutes
    const others = Array.from({ length: sessionsEach - 1 }, (_, other) => `'other${other}-' || n`);
    for (const value of [token("n"), ...others]) {
      await client.query(`
        insert into sessions (id, user_id, created_at, expires_at)
        select ${base64url(value)}, id, now(), now() + interval '7 days' from numbered`);
    }
    await client.query("vacuum analyze");
  });
}

/** How many groups {@linkcode fillGroups} makes, and how many one user is in. */
const [GROUPS, GROUPS_OF_ONE] = [1_000, 50];

/**
 * Puts each user of {@linkcode fill} into one of 1,000 groups, and the one in the middle into 50. Returns the number of
 * that one.
 */
export async function fillGroups(databaseUrl: string, users: number): Promise<number> {
  const one = users / 2;
  const row = "select md5(groups.name || users.id), users.id, groups.name, 'admin', now() from users inner join groups";
  await withClient(databaseUrl, async (client) => {
    await client.query(`
      insert into groups (name, title, created_at)
      select 'group-' || lpad(n::text, 4, '0'), 'Group ' || n, now() from generate_series(0, ${GROUPS - 1}) n`);
    await client.query(`
      insert into group_members (id, user_id, group_name, source, created_at)
      ${row} on groups.name = 'group-' || lpad((substr(email, 5, strpos(email, '@') - 5)::int % ${GROUPS})::text, 4, '0')
      where email like 'user%'`);
    await client.query(`
      insert into group_members (id, user_id, group_name, source, created_at)
      ${row} on groups.name < 'group-' || lpad('${GROUPS_OF_ONE}', 4, '0') where email = 'user${one}@example.com'
      on conflict do nothing`);
    await client.query("vacuum analyze groups, group_members");
  });
  return one;
}

/** Adds sessions that have expired, all of one user. */
export async function addExpiredSessions(databaseUrl: string, count: number): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    await client.query(
      `insert into sessions (id, user_id, created_at, expires_at)
       select 'expired-' || gen_random_uuid(), (select id from users limit 1), now(), now() - interval '1 hour'
       from generate_series(1, $1::int)`,
      [count],
    );
    await client.query("vacuum analyze sessions");
  });
}

/** Returns the id of the last user on a page of the list. */
export async function lastIdOfPage(databaseUrl: string, page: number, size: number): Promise<string> {
  return await withClient(databaseUrl, async (client) => {
    const { rows } = await client.query("select id from users order by id desc offset $1 limit 1", [page * size - 1]);
    return rows[0].id;
  });
}

async function withClient<T>(connectionString: string, act: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}
