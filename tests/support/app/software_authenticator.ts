import type { Credential, NewCredential } from "../../../lib/sign_in/passkeys/schema.ts";

/** The options of `navigator.credentials.create`, as far as an authenticator reads them. */
export interface CreationOptions {
  rp: { id: string };
  user: { id: string };
  challenge: string;
}

/** The options of `navigator.credentials.get`, as far as an authenticator reads them. */
export interface RequestOptions {
  rpId: string;
  challenge: string;
}

/** What a dishonest or broken browser or authenticator does differently. */
export interface Deviation {
  origin?: string;
  rpId?: string;
  crossOrigin?: boolean;
  isUserVerified?: boolean;
  /** Signs something else. */
  forgesSignature?: boolean;
  /** Replaces the counter, which otherwise increases. */
  counter?: number;
  userHandle?: string;
  /** The attestation of a new passkey: its format and its statement, as CBOR. */
  attestation?: { format: string; statement: Uint8Array };
  /** The number of the algorithm in the public key. */
  algorithm?: number;
}

const [USER_PRESENT, USER_VERIFIED, BACKUP_ELIGIBLE, BACKED_UP, HAS_CREDENTIAL] = [0x01, 0x04, 0x08, 0x10, 0x40];
const ES256 = -7;

/** A passkey, as an authenticator that is moved elsewhere takes it along. */
export interface SavedPasskey {
  /** The id of the credential. */
  id: string;
  userHandle: string;
  privateKey: JsonWebKey;
  /** Only of an authenticator whose counter increases. */
  counter?: number;
}

/** A passkey of an authenticator that consists of software: one P-256 key. It speaks the JSON of browsers. */
export class SoftwareAuthenticator {
  readonly #origin: string;
  readonly #countsUses: boolean;
  #id = crypto.getRandomValues(new Uint8Array(16));
  #keys: CryptoKeyPair | undefined;
  #userHandle = "";
  #counter = 0;

  /** @param countsUses whether its counter increases; synchronized passkeys always send 0. */
  constructor(origin: string, { countsUses = false }: { countsUses?: boolean } = {}) {
    this.#origin = origin;
    this.#countsUses = countsUses;
  }

  /** Returns the authenticator that holds a saved passkey. */
  static async restore(origin: string, { id, userHandle, privateKey, counter }: SavedPasskey) {
    const authenticator = new SoftwareAuthenticator(origin, { countsUses: counter !== undefined });
    const algorithm = { name: "ECDSA", namedCurve: "P-256" };
    const { d: _secret, key_ops: _uses, ...publicKey } = privateKey;
    authenticator.#id = Uint8Array.fromBase64(id, { alphabet: "base64url" });
    authenticator.#userHandle = userHandle;
    authenticator.#counter = counter ?? 0;
    authenticator.#keys = {
      privateKey: await crypto.subtle.importKey("jwk", privateKey, algorithm, true, ["sign"]),
      publicKey: await crypto.subtle.importKey("jwk", publicKey, algorithm, true, ["verify"]),
    };
    return authenticator;
  }

  /** The id of the credential. */
  get id(): string {
    return base64url(this.#id);
  }

  /** Returns its passkey with the private key. */
  async save(): Promise<SavedPasskey> {
    return {
      id: this.id,
      userHandle: this.#userHandle,
      privateKey: await crypto.subtle.exportKey("jwk", this.#keys!.privateKey),
      ...this.#countsUses && { counter: this.#counter },
    };
  }

  /** Creates the passkey. */
  async create({ rp, user, challenge }: CreationOptions, deviation: Deviation = {}): Promise<NewCredential> {
    this.#keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
    this.#userHandle = user.id;
    const key = await coseKey(this.#keys.publicKey, deviation.algorithm ?? ES256);
    const credentialData = concat(new Uint8Array(16), uint(this.#id.length, 2), this.#id, key);
    const data = concat(await this.#data(rp.id, HAS_CREDENTIAL, deviation), credentialData);
    const { format, statement } = deviation.attestation ?? { format: "none", statement: map() };
    const attestation = map([text("fmt"), text(format)], [text("attStmt"), statement], [text("authData"), bytes(data)]);
    return {
      id: this.id,
      rawId: this.id,
      type: "public-key",
      response: {
        clientDataJSON: base64url(this.#clientData("webauthn.create", challenge, deviation)),
        attestationObject: base64url(attestation),
        transports: ["internal"],
      },
    };
  }

  /** Uses the passkey. */
  async get({ rpId, challenge }: RequestOptions, deviation: Deviation = {}): Promise<Credential> {
    const data = await this.#data(rpId, 0, deviation);
    const clientData = this.#clientData("webauthn.get", challenge, deviation);
    const signed = deviation.forgesSignature ? data : concat(data, await sha256(clientData));
    const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, this.#keys!.privateKey, signed);
    return {
      id: this.id,
      rawId: this.id,
      type: "public-key",
      response: {
        clientDataJSON: base64url(clientData),
        authenticatorData: base64url(data),
        signature: base64url(der(new Uint8Array(signature))),
        userHandle: deviation.userHandle ?? this.#userHandle,
      },
    };
  }

  #clientData(type: string, challenge: string, { origin = this.#origin, crossOrigin = false }: Deviation) {
    return new TextEncoder().encode(JSON.stringify({ type, challenge, origin, crossOrigin }));
  }

  async #data(rpId: string, extraFlags: number, deviation: Deviation): Promise<Uint8Array<ArrayBuffer>> {
    const verified = deviation.isUserVerified === false ? 0 : USER_VERIFIED;
    if (this.#countsUses) this.#counter++;
    return concat(
      await sha256(new TextEncoder().encode(deviation.rpId ?? rpId)),
      uint(USER_PRESENT | verified | BACKUP_ELIGIBLE | BACKED_UP | extraFlags, 1),
      uint(deviation.counter ?? this.#counter, 4),
    );
  }
}

/** A public key as COSE: type EC2, algorithm, curve P-256, x, y. Source: RFC 9053, 7.1.1. */
async function coseKey(publicKey: CryptoKey, algorithm: number): Promise<Uint8Array<ArrayBuffer>> {
  const raw = new Uint8Array(await crypto.subtle.exportKey("raw", publicKey));
  return map(
    [number(1), number(2)],
    [number(3), number(algorithm)],
    [number(-1), number(1)],
    [number(-2), bytes(raw.subarray(1, 33))],
    [number(-3), bytes(raw.subarray(33))],
  );
}

/** An ECDSA signature as WebAuthn sends it: DER instead of the two numbers side by side. */
function der(signature: Uint8Array): Uint8Array<ArrayBuffer> {
  const integers = [signature.subarray(0, 32), signature.subarray(32)].map((integer) => {
    const start = integer.findIndex((byte) => byte !== 0);
    const padded = integer[start] >= 0x80 ? concat(uint(0, 1), integer.subarray(start)) : integer.subarray(start);
    return concat(uint(0x02, 1), uint(padded.length, 1), padded);
  });
  const content = concat(...integers);
  return concat(uint(0x30, 1), uint(content.length, 1), content);
}

// CBOR, as far as WebAuthn needs it. Source: RFC 8949, 3.
const [UNSIGNED, NEGATIVE, BYTES, TEXT, ARRAY, MAP] = [0, 1, 2, 3, 4, 5];

function head(type: number, value: number): Uint8Array<ArrayBuffer> {
  if (value < 24) return uint((type << 5) | value, 1);
  const size = value < 0x100 ? 1 : 2;
  return concat(uint((type << 5) | (23 + size), 1), uint(value, size));
}

function number(value: number): Uint8Array<ArrayBuffer> {
  return value < 0 ? head(NEGATIVE, -1 - value) : head(UNSIGNED, value);
}

function bytes(content: Uint8Array): Uint8Array<ArrayBuffer> {
  return concat(head(BYTES, content.length), content);
}

function text(content: string): Uint8Array<ArrayBuffer> {
  const encoded = new TextEncoder().encode(content);
  return concat(head(TEXT, encoded.length), encoded);
}

function map(...entries: [key: Uint8Array, value: Uint8Array][]): Uint8Array<ArrayBuffer> {
  return concat(head(MAP, entries.length), ...entries.flat());
}

/** The statement of an attestation that is signed with a certificate. */
export function certificateStatement(certificate: Uint8Array): Uint8Array<ArrayBuffer> {
  return map(
    [text("alg"), number(ES256)],
    [text("sig"), bytes(new Uint8Array(8))],
    [text("x5c"), concat(head(ARRAY, 1), bytes(certificate))],
  );
}

/** A number of `size` bytes, the most significant first. */
function uint(value: number, size: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: size }, (_, index) => Math.floor(value / 256 ** (size - 1 - index)) % 256);
}

function concat(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

async function sha256(content: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", content));
}

function base64url(content: Uint8Array): string {
  return content.toBase64({ alphabet: "base64url", omitPadding: true });
}
