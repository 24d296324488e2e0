import { v7 } from "uuid";
import { COMMAND_LINE, recordEvents } from "../activity/events.ts";
import { deriveKey } from "../crypto/derived_key.ts";
import { planForeignCheck } from "../crypto/foreign_check.ts";
import { type GivenHash, readGivenHash } from "../crypto/given_hash.ts";
import { type HashMethod, methodText, mostExpensive, parseMethod } from "../crypto/hash_method.ts";
import type { Services } from "../services/services.ts";
import { listHashMethods, MAX_HASH_METHODS } from "../users/hash_methods.ts";
import { findUnknownUsers, type ImportedUser, insertImportedUsers } from "../users/imported_user.ts";
import { DEFAULT_NAME } from "../users/user.ts";
import { isDomainAllowed } from "./admission.ts";

/** A user of another system. What is not known may be absent or null. */
export interface ImportedPerson {
  email: string;
  name?: string | null;
  emailVerified: boolean;
  createdAt?: Date | null;
  passwordHash?: GivenHash | null;
}

/** A user of another system, and the line of the import. */
export interface PersonOnLine {
  line: number;
  person: ImportedPerson;
}

/** Why a user is not imported: the domain is not allowed, the time has not come, or the hash cannot be used. */
export type ImportRefusal = "domain" | "future" | "hash format" | "hash costs" | "hash methods";

/** What an import has done, or would do. */
export interface Imported {
  imported: number;
  /** Users who have an account already, or had one. */
  known: number;
  refused: { line: number; reason: ImportRefusal }[];
  /** The ways of hashing of these users and of the accounts. */
  methods: HashMethod[];
}

/** The ends of the ids of the same user are the same at each import, but do not reveal the address. */
const ID_KEY = {
  name: "ids of imported users",
  algorithm: { name: "HMAC", hash: "SHA-256" },
  usages: ["sign"],
} satisfies Parameters<typeof deriveKey>[1];
const ID_RANDOM_BYTES = 16;

/**
 * Imports users of another system. Refused and known users are skipped; all others are added, or none of them. So an
 * import can be repeated. Whatever REGISTRATION says, they get accounts. Computes no hash.
 */
export async function importUsers(
  services: Services,
  people: PersonOnLine[],
  { isDryRun }: { isDryRun: boolean },
): Promise<Imported> {
  const now = services.now();
  const { users, refused, methods } = await readPeople(services, people, now);
  const imported = isDryRun
    ? await findUnknownUsers(services.db, users, now)
    : await services.db.transaction().execute(async (trx) => {
      const inserted = await insertImportedUsers(trx, users, now);
      const details = { method: "import" };
      const events = inserted.map(({ id }) =>
        ({ kind: "user.registered", userId: id, ...COMMAND_LINE, details }) as const
      );
      await recordEvents(trx, events, now);
      return inserted;
    });
  return { imported: imported.length, known: users.length - imported.length, refused, methods };
}

/**
 * Measures how many milliseconds of one core the hashes of other systems add to each login.
 * Returns the most expensive methods too.
 */
export async function measureLoginCost(methods: HashMethod[]): Promise<{ ms: number; highest: string[] }> {
  const startedAt = performance.now();
  await planForeignCheck(null, methods).matches("");
  const ms = Math.ceil(performance.now() - startedAt);
  return { ms, highest: mostExpensive(methods).values().map(methodText).toArray() };
}

async function readPeople(
  { config, db }: Services,
  people: PersonOnLine[],
  now: Date,
): Promise<{ users: ImportedUser[] } & Pick<Imported, "refused" | "methods">> {
  const key = await deriveKey(config.appSecret, ID_KEY);
  const methods = new Set((await listHashMethods(db)).map(methodText));
  const [users, refused]: [ImportedUser[], Imported["refused"]] = [[], []];
  for (const { line, person } of people) {
    const { email, name, emailVerified: isVerified, createdAt } = person;
    const hash = readHash(person.passwordHash ?? null, methods);
    if (!isDomainAllowed(config, email)) refused.push({ line, reason: "domain" });
    else if (createdAt && createdAt > now) refused.push({ line, reason: "future" });
    else if ("reason" in hash) refused.push({ line, reason: hash.reason });
    else {
      users.push({
        id: await idOf(email, { createdAt: createdAt ?? now, key }),
        email,
        name: name ?? DEFAULT_NAME,
        passwordHash: hash.stored,
        emailVisible: config.publicUserEmails,
        isVerified,
        // An old account that is not confirmed is deleted. People get as much time as after a registration.
        createdAt: isVerified && createdAt || now,
      });
    }
  }
  return { users, refused, methods: [...methods].flatMap((text) => parseMethod(text) ?? []) };
}

/** Adds the method of the hash to those that the accounts have. */
function readHash(
  given: GivenHash | null,
  methods: Set<string>,
): { stored: string | null } | { reason: ImportRefusal } {
  if (given === null) return { stored: null };
  const read = readGivenHash(given);
  if ("problem" in read) return { reason: `hash ${read.problem}` };
  const method = methodText(read.method);
  if (!methods.has(method) && methods.size >= MAX_HASH_METHODS) return { reason: "hash methods" };
  methods.add(method);
  return { stored: read.stored };
}

/** Lists have users in the order of their ids, which begin with the time. */
async function idOf(email: string, { createdAt, key }: { createdAt: Date; key: CryptoKey }): Promise<string> {
  const random = new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(email)));
  return v7({ msecs: createdAt.getTime(), random: random.subarray(0, ID_RANDOM_BYTES) });
}
