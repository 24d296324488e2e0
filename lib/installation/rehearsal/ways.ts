import { sql } from "kysely";
import { PAGE_ROWS, pagesOf } from "../../../db/row_pages.ts";
import type { Db } from "../../../db/schema.ts";
import { isReached } from "../../access/second_factor_duty.ts";
import { groupNamesAt } from "../../groups/membership.ts";
import type { Role } from "../../users/tables.ts";
import type { Config } from "../../config/config.ts";
import { mayUsePassword } from "../../config/passwords_setting.ts";
import { namesManyTenants } from "../../config/provider_settings.ts";
import { requiredProvider } from "../../config/sign_in_domains.ts";
import { isDamaged } from "../../crypto/password.ts";
import { openRefreshKey } from "../../grants/refresh_key.ts";
import { isReadableKey } from "../../sign_in/passkeys/webauthn.ts";
import { unsealSecret } from "../../sign_in/second_factor/totp_secret.ts";
import { type BackupManifest, signInSettings } from "../backup/manifest.ts";
import { type Finding, FindingList } from "./finding.ts";

/** An account with everything that lets its owner in. */
interface Account {
  id: string;
  email: string;
  hash: string | null;
  role: Role;
  isSuspended: boolean;
  /** Whether they had a session, and SECOND_FACTOR has not reached them. */
  isUnreached: boolean;
  passkeys: string[];
  identities: { provider: string; subject: string }[];
  totp: string | null;
  hasCodes: boolean;
  groupNames: string[];
  grants: { id: string; clientId: string; sealed: string | null }[];
}

/** What was looked at, and what was found. */
export interface CheckedWays {
  findings: Finding[];
  accounts: number;
  waysIn: number;
}

/** With which settings, and of which backup. */
interface Conditions {
  config: Config;
  manifest: BackupManifest;
  /** Whether an app is registered: in CLIENTS_FILE, in the browser, or by its document. */
  isApp(clientId: string): boolean;
}

/**
 * Checks for each account, or for some of them, whether everything that lets its owner in still does, as far as that
 * can be known without their secrets.
 *
 * @param sample how many accounts, which chance chooses. By default all.
 */
export async function checkWays(
  db: Db,
  known: Omit<Conditions, "isApp">,
  sample?: number,
): Promise<CheckedWays> {
  const conditions = { ...known, isApp: await registeredApps(db, known.config) };
  const list = new FindingList();
  const result = { accounts: 0, waysIn: 0 };
  for await (const accounts of sample === undefined ? allAccounts(db) : someAccounts(db, sample)) {
    for (const account of accounts) {
      result.accounts++;
      result.waysIn += await checkAccount(account, conditions, list);
    }
  }
  return { ...result, findings: list.findings() };
}

async function registeredApps(db: Db, config: Config): Promise<(clientId: string) => boolean> {
  const made = await db.selectFrom("clients").select("id").where("deleted_at", "is", null).execute();
  const ids = new Set([...config.registrations?.clients.keys() ?? [], ...made.map(({ id }) => id)]);
  return (id) => ids.has(id) || (config.clientDocuments !== null && id.startsWith("https:"));
}

function allAccounts(db: Db): AsyncGenerator<Account[]> {
  return pagesOf("id", (after) => readAccounts(db, sql`where users.id > ${after} order by id limit ${PAGE_ROWS}`));
}

async function* someAccounts(db: Db, sample: number): AsyncGenerator<Account[]> {
  const { rows } = await sql<{ id: string }>`select id from users order by random() limit ${sample}`.execute(db);
  for (let start = 0; start < rows.length; start += PAGE_ROWS) {
    const ids = rows.slice(start, start + PAGE_ROWS).map(({ id }) => id);
    yield await readAccounts(db, sql`where users.id = any(${ids})`);
  }
}

async function readAccounts(db: Db, which: ReturnType<typeof sql>): Promise<Account[]> {
  const list = (what: ReturnType<typeof sql>) => sql`coalesce((select json_agg(${what}), '[]')`;
  const { rows } = await sql<Account>`
    select users.id, email, password_hash as hash, role, suspended_at is not null as "isSuspended",
      last_seen_at is not null and second_factor_due_at is null as "isUnreached",
      ${list(sql`public_key) from passkeys where user_id = users.id`)} as passkeys,
      ${
    list(sql`json_build_object('provider', identities.provider, 'subject', subject)) from identities
        where user_id = users.id`)
  } as identities,
      (select secret from totp_secrets where user_id = users.id and enabled_at is not null) as totp,
      exists (select from recovery_codes where user_id = users.id) as "hasCodes",
      ${groupNamesAt(sql<Date>`now()`)} as "groupNames",
      ${
    list(sql`json_build_object('id', id, 'clientId', client_id, 'sealed', refresh_key)) from grants
        where user_id = users.id`)
  } as grants
    from users ${which}
  `.execute(db);
  return rows;
}

/** Adds what is wrong with an account to the list. Returns how many ways in it has. */
async function checkAccount(account: Account, conditions: Conditions, list: FindingList): Promise<number> {
  const { config } = conditions;
  const required = requiredProvider(config, account.email);
  const ways = [
    ...account.hash === null ? [] : [passwordWay(account.hash, config)],
    ...await Promise.all(account.passkeys.map((key) => passkeyWay(key, conditions))),
    ...account.identities.map((identity) => identityWay(identity, conditions)),
  ].map((way) => demanded(way, required));
  if (required !== null && !account.identities.some(({ provider }) => provider === required)) {
    list.add(account.email, `log in with ${required} for the first time, which must confirm their address`, false);
  }
  for (const { broken } of ways) if (broken !== undefined) list.add(account.email, broken, true);
  if (!account.isSuspended && ways.every(({ broken, closed }) => broken ?? closed)) {
    const reasons = new Set(ways.map(({ broken, closed }) => broken ?? closed));
    const why = ways.length === 0 ? "have no password, passkey or identity" : [...reasons].join("; ");
    if (!canUseMailbox(account, config)) list.add(account.email, `have no way in left: they ${why}`, true);
    else if (ways.some(({ broken }) => broken === undefined)) {
      list.add(account.email, `can log in only by an email from now on: they ${why}`, false);
    }
  }
  await checkSecondStep(account, config, list);
  for (const { id, clientId, sealed } of account.grants) {
    if (!conditions.isApp(clientId)) list.add(account.email, `use the app ${clientId}, which is not registered`, true);
    if (sealed === null || await openRefreshKey(config, { id, sealed }) !== null) continue;
    list.add(account.email, "must sign in to an app again: APP_SECRET does not open its refresh tokens", true);
  }
  return ways.length;
}

/** A way in. It is broken if it should work, and closed if the settings say so. */
interface Way {
  broken?: string;
  closed?: string;
  provider?: string;
}

function passwordWay(hash: string, config: Config): Way {
  if (isDamaged(hash)) return { broken: "have a password whose hash cannot be read, or costs too much" };
  return mayUsePassword(config, "open") ? {} : { closed: "have a password, and PASSWORDS is off" };
}

async function passkeyWay(key: string, { config: { passkeys }, manifest: { settings } }: Conditions): Promise<Way> {
  if (!await isReadableKey(key)) return { broken: "have a passkey whose key cannot be read" };
  if (!passkeys.arePossible) return { closed: "have a passkey, and BASE_URL is an IP address" };
  const before = settings?.passkeyDomain ?? passkeys.rpId;
  if (before === passkeys.rpId) return {};
  return { broken: `have a passkey of ${before}, and the domain of passkeys is ${passkeys.rpId} now` };
}

function identityWay({ provider, subject }: Account["identities"][number], { config, manifest }: Conditions): Way {
  const settings = config.providers.find(({ key }) => key === provider);
  if (settings === undefined) return { closed: `have an identity of ${provider}, which is not configured`, provider };
  const [before, now] = [manifest.settings, signInSettings(config)].map((each) => each?.subjects[provider]);
  if (before !== undefined && before !== now) {
    return { broken: `have an identity of ${provider}, which now tells people apart by ${now}, not by ${before}` };
  }
  const { issuer } = settings;
  const isOther = issuer !== undefined && !namesManyTenants(issuer) &&
    withoutSlash(subject.split(" ")[0]) !== withoutSlash(issuer);
  if (isOther) return { broken: `have an identity of ${provider} with another issuer than ${issuer}`, provider };
  return { provider };
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, "");
}

/** Where SIGN_IN_DOMAINS names a provider, nothing else opens. Its first sign-in adds an identity that is missing. */
function demanded(way: Way, required: string | null): Way {
  return required === null || way.provider === required ? way : { ...way, closed: undefined };
}

/** Whether an emailed code, or a link to reset the password, opens the account. */
function canUseMailbox({ email, hash }: Account, config: Config): boolean {
  if (requiredProvider(config, email) !== null) return true; // see demanded
  return config.signInCodes || mayUsePassword(config, hash === null ? "first" : "open");
}

async function checkSecondStep(account: Account, config: Config, list: FindingList): Promise<void> {
  const { email, totp, id } = account;
  if (totp !== null && !await unsealSecret(totp, { userId: id, config }).then(() => true, () => false)) {
    const left = account.hasCodes ? "only a recovery code is left" : "nothing else is left for the second step";
    list.add(email, `have an authenticator app that APP_SECRET does not open: ${left}`, true);
  }
  const hasFactor = totp !== null || account.passkeys.length > 0;
  if (
    hasFactor || !account.isUnreached || config.secondFactorGraceSeconds > 0 || !isReached(account, config.secondFactor)
  ) return;
  list.add(email, "must set up a second factor before anything else: SECOND_FACTOR_GRACE_DAYS is 0", false);
}
