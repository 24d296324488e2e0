import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { type GivenHash, readGivenHash } from "./given_hash.ts";
import { isDamaged, isOutdated, verifyPassword } from "./password.ts";

/**
 * Published vectors: of Openwall and OpenBSD, of the reference code of Argon2, of RFC 7914, of RFC 6070's successors.
 */
const VECTORS: [password: string, given: GivenHash][] = [
  ["U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"],
  ["abc", "$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i"],
  ["~!@#$%^&*()      ~!@#$%^&*()PNBFRD", "$2a$06$fPIsBO8qRqkjj273rfaOI.HtSV9jLDpTbZn782DC6/t7qT67P6FfO"],
  [
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789chars after 72 are ignored",
    "$2y$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui",
  ],
  ["password", "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"],
  ["password", "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA"],
  [
    "password",
    phc("scrypt", "ln=10,r=8,p=16", "NaCl", [
      "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162",
      "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640",
    ]),
  ],
  [
    "pleaseletmein",
    phc("scrypt", "ln=14,r=8,p=1", "SodiumChloride", [
      "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2",
      "d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887",
    ]),
  ],
  [
    "password",
    phc("pbkdf2-sha256", "i=4096", "salt", ["c5e478d59288c841aa530db6845c4c8d962893a001ce4e11a4963873aa98134a"]),
  ],
  [
    "Password",
    phc("pbkdf2-sha256", "i=80000,l=64", "NaCl", [
      "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56",
      "a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d",
    ]),
  ],
  [
    "password",
    phc("pbkdf2-sha512", "i=4096", "salt", [
      "d197b1b33db0143e018b12f3d1d1479e6cdebdcc97c5c0f87f6902e072f457b5",
      "143f30602641b3d55cd335988cb36b84376060ecd532e039b742a239434af2d5",
    ]),
  ],
  ["user1password", { firebaseScrypt: firebase() }],
];

/** Published with github.com/firebase/scrypt. */
function firebase() {
  return {
    hash: "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==",
    salt: "42xEC+ixf3L2lw==",
    signerKey: "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==",
    saltSeparator: "Bw==",
    rounds: 8,
    memCost: 14,
  };
}

function phc(algorithm: string, costs: string, salt: string, hash: string[]): string {
  const parts = [new TextEncoder().encode(salt), Uint8Array.fromHex(hash.join(""))];
  return `$${algorithm}$${costs}$${parts.map((part) => part.toBase64({ omitPadding: true })).join("$")}`;
}

function storedFrom(given: GivenHash): string {
  const read = readGivenHash(given);
  ok("stored" in read, JSON.stringify([given, read]));
  return read.stored;
}

const WORK = { iterations: 1, owner: "test" };

for (const [password, given] of VECTORS) {
  const stored = storedFrom(given);
  Deno.test(`a published hash matches its password, and no other: ${stored.slice(0, 40)}`, async () => {
    ok(await verifyPassword(password, { storedHash: stored, ...WORK }));
    ok(!await verifyPassword(`${password[0]}-`, { storedHash: stored, ...WORK }));
    deepStrictEqual([isDamaged(stored), isOutdated(stored, 1)], [false, true]);
  });
}

Deno.test("hashes are stored as method, salt and hash, and the key of a Firebase project is not stored", () => {
  const stored = storedFrom(VECTORS[0][1]);
  match(stored, /^\$bcrypt\$c=5\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{31}$/);
  const { signerKey } = firebase();
  const text = storedFrom({ firebaseScrypt: firebase() });
  match(text, /^\$firebase-scrypt\$ln=14,r=8,p=1\$42xEC\+ixf3L2lwc\$[A-Za-z0-9+/]{86}$/);
  ok(!text.includes(signerKey.slice(0, 20)));
  const urlSafe = Object.fromEntries(
    Object.entries(firebase()).map(([name, value]) => [
      name,
      typeof value === "string" ? value.replaceAll("+", "-").replaceAll("/", "_") : value,
    ]),
  ) as ReturnType<typeof firebase>;
  strictEqual(storedFrom({ firebaseScrypt: urlSafe }), text);
});

const SALT = "c29tZXNhbHQ";
const HASH = "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";

Deno.test("costs beyond the bounds are refused without computing a hash", async () => {
  const bcrypt = (cost: string) => `$2b$${cost}$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui`;
  const cases: [given: GivenHash, isAdmitted: boolean][] = [
    [bcrypt("03"), false],
    [bcrypt("04"), true],
    [bcrypt("14"), true],
    [bcrypt("15"), false],
    [bcrypt("31"), false],
    [`$argon2id$v=19$m=1023,t=3,p=1$${SALT}$${HASH}`, false],
    [`$argon2id$v=19$m=1024,t=3,p=1$${SALT}$${HASH}`, true],
    [`$argon2id$v=19$m=131072,t=4,p=4$${SALT}$${HASH}`, true],
    [`$argon2id$v=19$m=131073,t=1,p=1$${SALT}$${HASH}`, false],
    [`$argon2id$v=19$m=131072,t=5,p=4$${SALT}$${HASH}`, false],
    [`$argon2i$v=19$m=1024,t=4294967295,p=1$${SALT}$${HASH}`, false],
    [`$argon2id$v=19$m=65536,t=3,p=0$${SALT}$${HASH}`, false],
    [`$argon2id$v=19$m=65536,t=3,p=17$${SALT}$${HASH}`, false],
    [`$scrypt$ln=9,r=8,p=1$${SALT}$${HASH}`, false],
    [`$scrypt$ln=17,r=8,p=1$${SALT}$${HASH}`, true],
    [`$scrypt$ln=17,r=8,p=3$${SALT}$${HASH}`, false],
    [`$scrypt$ln=18,r=8,p=1$${SALT}$${HASH}`, false],
    [`$scrypt$ln=14,r=16,p=1$${SALT}$${HASH}`, true],
    [`$scrypt$ln=13,r=8,p=10$${SALT}$${HASH}`, true],
    [`$scrypt$ln=63,r=8,p=1$${SALT}$${HASH}`, false],
    [`$pbkdf2-sha256$i=999$${SALT}$${HASH}`, false],
    [`$pbkdf2-sha256$i=600000$${SALT}$${HASH}`, true],
    [`$pbkdf2-sha256$i=2000001$${SALT}$${HASH}`, false],
    [`$pbkdf2-sha512$i=210000$${SALT}$${HASH}`, true],
    [`$pbkdf2-sha512$i=4294967295$${SALT}$${HASH}`, false],
    [{ firebaseScrypt: { ...firebase(), memCost: 17 } }, true],
    [{ firebaseScrypt: { ...firebase(), memCost: 18 } }, false],
    [{ firebaseScrypt: { ...firebase(), rounds: 0 } }, false],
    [{ firebaseScrypt: { ...firebase(), rounds: -8 } }, false],
  ];
  const startedAt = performance.now();
  for (const [given, isAdmitted] of cases) {
    const read = readGivenHash(given);
    strictEqual(
      "problem" in read ? read.problem : "admitted",
      isAdmitted ? "admitted" : "costs",
      JSON.stringify(given),
    );
  }
  // A single one of them would take longer.
  ok(performance.now() - startedAt < 500);

  // Nor is one computed that is in the database all the same.
  for (
    const stored of [
      `$bcrypt$c=31$${"A".repeat(22)}$${"A".repeat(31)}`,
      `$argon2id$v=19$m=4194304,t=99,p=1$${SALT}$${HASH}`,
      `$scrypt$ln=30,r=8,p=1$${SALT}$${HASH}`,
      `$pbkdf2-sha512$i=4294967295,l=32$${SALT}$${HASH}`,
    ]
  ) {
    ok(isDamaged(stored), stored);
    ok(!await verifyPassword("password", { storedHash: stored, ...WORK }));
  }
});

Deno.test("what is no hash of a known kind is refused, whatever it looks like", () => {
  const wrong: GivenHash[] = [
    "",
    "password",
    "5f4dcc3b5aa765d61d8327deb882cf99",
    "100000:AAAAAAAAAAAAAAAAAAAAAA==:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
    "$1$abcdefgh$irWbblnpmw.5z7wgBnprh0",
    "$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
    "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe",
    "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW\n",
    `$argon2d$v=19$m=65536,t=2,p=1$${SALT}$${HASH}`,
    `$argon2id$v=16$m=65536,t=2,p=1$${SALT}$${HASH}`,
    `$argon2id$m=65536,t=2,p=1$${SALT}$${HASH}`,
    `$argon2id$v=19$m=65536,t=2$${SALT}$${HASH}`,
    `$argon2id$v=19$m=65536,t=2,p=1,keyid=AAAA$${SALT}$${HASH}`,
    `$argon2id$v=19$m=65536,m=65536,p=1$${SALT}$${HASH}`,
    `$argon2id$v=19$m=65536,t=2,p=1$c2FsdA$${HASH}`, // the salt is too short
    `$argon2id$v=19$m=65536,t=2,p=1$${SALT}$AAAA`, // a hash that many passwords would match
    `$argon2id$v=19$m=65536,t=2,p=1$${SALT}$`,
    `$argon2id$v=19$m=65536,t=2,p=1$${SALT}$${HASH}$`,
    `$pbkdf2-sha256$i=600000,l=64$${SALT}$${HASH}`,
    `$pbkdf2-sha1$i=600000$${SALT}$${HASH}`,
    `$scrypt$ln=14,r=8,p=1,x=1$${SALT}$${HASH}`,
    { firebaseScrypt: { ...firebase(), signerKey: "AAAA" } },
    { firebaseScrypt: { ...firebase(), salt: "?" } },
    { firebaseScrypt: { ...firebase(), saltSeparator: "?" } },
  ];
  for (const given of wrong) deepStrictEqual(readGivenHash(given), { problem: "format" }, JSON.stringify(given));
});

Deno.test("a damaged hash of another system matches no password, and throws nothing", async () => {
  for (
    const stored of [
      "$",
      "$$$",
      "$bcrypt$c=5$AAAA$AAAA",
      "$unknown$i=1$AAAAAA$AAAAAA",
      `$scrypt$ln=14,r=8$${SALT}$${HASH}`,
    ]
  ) {
    ok(isDamaged(stored), stored);
    ok(!await verifyPassword("password", { storedHash: stored, ...WORK }), stored);
  }
});

Deno.test("hashes that take long do not block the event loop", async () => {
  const slow = VECTORS.map(([, given]) => storedFrom(given)).filter((each) => /argon2|ln=14/.test(each));
  const bcrypt = storedFrom("$2b$10$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui");
  for (const storedHash of [bcrypt, ...slow]) {
    let [turns, isOver] = [0, false];
    const count = () => void (isOver || (turns++, setTimeout(count, 0)));
    const check = verifyPassword("password", { storedHash, ...WORK }).finally(() => isOver = true);
    count();
    await check;
    ok(turns > 10, `${storedHash.slice(0, 30)}: ${turns} turns`); // if it is blocked, there are two or three
  }
});
