import { timingSafeEqual } from "node:crypto";
import { deriveForeign } from "./derive_foreign.ts";
import type { ForeignHash } from "./foreign_hash.ts";
import { familyOf, type HashMethod, iterationsFor, mostExpensive, workOf } from "./hash_method.ts";

const NO_SALT = new Uint8Array(16);
/** Only with PBKDF2 does the time depend on the length. */
const ANY_BYTES = 32;

/** A check of a password against the hash of another system, or the work of one. */
export interface ForeignCheck {
  /** About how many iterations of our own hashes take as long. */
  iterations: number;
  /** Computes everything, and returns whether there is a hash and the password matches it. */
  matches(password: string): Promise<boolean>;
}

/**
 * Plans a check that takes the same time for every account: it hashes the password once in each family of methods, and
 * always as much as the most expensive method of the family, whichever hash the account has.
 *
 * @param foreign the hash of the account, or null if it has none of another system.
 * @param methods those that the hashes of any account have.
 */
export function planForeignCheck(foreign: ForeignHash | null, methods: HashMethod[]): ForeignCheck {
  const highest = [...mostExpensive(foreign === null ? methods : [...methods, foreign.method])];
  return {
    iterations: highest.reduce((sum, [family, method]) => sum + iterationsFor(family, workOf(method)), 0),
    async matches(password) {
      let isRight = false;
      for (const [family, method] of highest) {
        if (foreign === null || familyOf(foreign.method) !== family) {
          await deriveForeign(password, { method, salt: NO_SALT, bytes: "bytes" in method ? method.bytes : ANY_BYTES });
          continue;
        }
        const { salt, hash } = foreign;
        const derived = await deriveForeign(password, { method: foreign.method, salt, bytes: hash.length });
        isRight = timingSafeEqual(derived, hash);
        for (const more of methodsBetween(foreign.method, method)) {
          await deriveForeign(password, { method: more, salt, bytes: hash.length });
        }
      }
      return isRight;
    },
  };
}

/** Returns methods that take as long together as `highest` takes longer than `method`. */
function methodsBetween(method: HashMethod, highest: HashMethod): HashMethod[] {
  const work = workOf(highest) - workOf(method);
  const times = work / workOf(method);
  if (times === 0) return [];
  switch (method.algorithm) {
    case "bcrypt": // 2 ** 10 + 2 ** 11 rounds are as many as 2 ** 12 have more than 2 ** 10
      return Array.from({ length: Math.round(Math.log2(times + 1)) }, (_, i) => ({ ...method, cost: method.cost + i }));
    case "argon2id":
    case "argon2i":
      return whole(method, "passes", method.passes * times);
    case "scrypt":
    case "firebase-scrypt":
      return whole(method, "p", method.p * times);
    case "pbkdf2-sha256":
    case "pbkdf2-sha512":
      return whole(method, "iterations", method.iterations * times);
  }
}

function whole<Method extends HashMethod>(method: Method, field: keyof Method, value: number): Method[] {
  return value < 0.5 ? [] : [{ ...method, [field]: Math.round(value) }];
}
