/**
 * The ways in which other systems hash passwords, and what they cost. The text of a method is the start of a stored
 * hash, such as `$bcrypt$c=10` or `$argon2id$v=19$m=65536,t=3,p=4`.
 */
export type HashMethod =
  | { algorithm: "bcrypt"; cost: number }
  | { algorithm: "argon2id" | "argon2i"; memoryKib: number; passes: number; lanes: number }
  | { algorithm: "scrypt" | "firebase-scrypt"; logN: number; r: number; p: number }
  | { algorithm: "pbkdf2-sha256" | "pbkdf2-sha512"; iterations: number; bytes: number };

/** The families of methods. A hash of one method can be followed by work that takes as long as another method. */
export type MethodFamily = "bcrypt" | "argon2" | "scrypt" | "pbkdf2-sha256" | "pbkdf2-sha512";

const NUMBER = "([1-9][0-9]{0,9})";
/** In the order of the fields that they fill. Source: PHC string format; passlib, for scrypt and PBKDF2. */
const PATTERNS: [RegExp, (algorithm: string, numbers: number[]) => HashMethod][] = [
  [new RegExp(`^\\$(bcrypt)\\$c=${NUMBER}$`), (_, [cost]) => ({ algorithm: "bcrypt", cost })],
  [
    new RegExp(`^\\$(argon2id|argon2i)\\$v=19\\$m=${NUMBER},t=${NUMBER},p=${NUMBER}$`),
    (algorithm, [memoryKib, passes, lanes]) => ({ algorithm: algorithm as "argon2id", memoryKib, passes, lanes }),
  ],
  [
    new RegExp(`^\\$(scrypt|firebase-scrypt)\\$ln=${NUMBER},r=${NUMBER},p=${NUMBER}$`),
    (algorithm, [logN, r, p]) => ({ algorithm: algorithm as "scrypt", logN, r, p }),
  ],
  [
    new RegExp(`^\\$(pbkdf2-sha256|pbkdf2-sha512)\\$i=${NUMBER},l=${NUMBER}$`),
    (algorithm, [iterations, bytes]) => ({ algorithm: algorithm as "pbkdf2-sha256", iterations, bytes }),
  ],
];

/** Reads the text of a method. Returns null if it is none. Its costs may be out of bounds. */
export function parseMethod(text: string): HashMethod | null {
  for (const [pattern, create] of PATTERNS) {
    const match = pattern.exec(text);
    if (match !== null) return create(match[1], match.slice(2).map(Number));
  }
  return null;
}

/** Writes a method as {@linkcode parseMethod} reads it. */
export function methodText(method: HashMethod): string {
  switch (method.algorithm) {
    case "bcrypt":
      return `$bcrypt$c=${method.cost}`;
    case "argon2id":
    case "argon2i":
      return `$${method.algorithm}$v=19$m=${method.memoryKib},t=${method.passes},p=${method.lanes}`;
    case "scrypt":
    case "firebase-scrypt":
      return `$${method.algorithm}$ln=${method.logN},r=${method.r},p=${method.p}`;
    case "pbkdf2-sha256":
    case "pbkdf2-sha512":
      return `$${method.algorithm}$i=${method.iterations},l=${method.bytes}`;
  }
}

const MEBIBYTE_KIB = 1024;
/** A hash may take about this much memory: as many run at once as there are cores. */
const MAX_MEMORY_KIB = 128 * MEBIBYTE_KIB;

/**
 * Whether a password may be hashed in this way. The highest costs take about a second on one core, and admit what OWASP
 * recommends. Less than the lowest ones is no protection. Source: docs/moving-in.md, Hashes.
 */
export function isWithinBounds(method: HashMethod): boolean {
  switch (method.algorithm) {
    case "bcrypt":
      return isBetween(method.cost, 4, 14);
    case "argon2id":
    case "argon2i":
      return isBetween(method.memoryKib, Math.max(MEBIBYTE_KIB, 8 * method.lanes), MAX_MEMORY_KIB) &&
        isBetween(method.lanes, 1, 16) && workOf(method) <= 512 * MEBIBYTE_KIB;
    case "scrypt":
    case "firebase-scrypt":
      return isBetween(method.logN, 10, 20) && isBetween(method.r, 1, 32) && isBetween(method.p, 1, 16) &&
        2 ** method.logN * method.r / 8 <= MAX_MEMORY_KIB && workOf(method) <= 2 ** 21;
    case "pbkdf2-sha256":
    case "pbkdf2-sha512":
      return isBetween(method.bytes, 16, 64) && isBetween(method.iterations, 1_000, 2_000_000);
  }
}

/** Returns the family of a method. */
export function familyOf({ algorithm }: HashMethod): MethodFamily {
  if (algorithm === "argon2id" || algorithm === "argon2i") return "argon2";
  return algorithm === "firebase-scrypt" ? "scrypt" : algorithm;
}

/** How much work a hash is, in a unit of its family: rounds, KiB written, blocks mixed or iterations. */
export function workOf(method: HashMethod): number {
  switch (method.algorithm) {
    case "bcrypt":
      return 2 ** method.cost;
    case "argon2id":
    case "argon2i":
      return method.memoryKib * method.passes;
    case "scrypt":
    case "firebase-scrypt":
      return 2 ** method.logN * method.r * method.p;
    case "pbkdf2-sha256":
      return method.iterations * Math.ceil(method.bytes / 32);
    case "pbkdf2-sha512":
      return method.iterations;
  }
}

/** How many iterations of our own hashes take as long as a unit of work, measured on Deno 2.9.6. */
const ITERATIONS: Record<MethodFamily, number> = {
  bcrypt: 430,
  argon2: 8,
  scrypt: 3,
  "pbkdf2-sha256": 1,
  "pbkdf2-sha512": 3.6,
};

/** About how many iterations of our own hashes take as long as this work. */
export function iterationsFor(family: MethodFamily, work: number): number {
  return Math.ceil(work * ITERATIONS[family]);
}

/** Returns the most expensive method of each family. Methods out of bounds are left out: no hash of theirs is used. */
export function mostExpensive(methods: HashMethod[]): Map<MethodFamily, HashMethod> {
  const highest = new Map<MethodFamily, HashMethod>();
  for (const method of methods.filter(isWithinBounds)) {
    const known = highest.get(familyOf(method));
    if (known === undefined || workOf(known) < workOf(method)) highest.set(familyOf(method), method);
  }
  return highest;
}

function isBetween(value: number, min: number, max: number): boolean {
  return value >= min && value <= max;
}
