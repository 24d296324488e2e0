/** Computes bcrypt hashes on a thread of its own: the library would block the event loop. `bcrypt.ts` starts it. */
import { decodeBase64, encodeBase64, hashSync } from "bcryptjs";

/** A hash to compute. */
export interface BcryptTask {
  password: string;
  salt: Uint8Array<ArrayBuffer>;
  cost: number;
}

const SALT_BYTES = 16;
const HASH_BYTES = 23;
const HASH_CHARACTERS = 31;

const thread = globalThis as unknown as {
  onmessage(event: MessageEvent<BcryptTask>): void;
  postMessage(hash: Uint8Array): void;
};

// The library takes at most 72 bytes of the password, as others do.
thread.onmessage = ({ data: { password, salt, cost } }) => {
  const setting = `$2b$${String(cost).padStart(2, "0")}$${encodeBase64(salt, SALT_BYTES)}`;
  const text = hashSync(password, setting).slice(-HASH_CHARACTERS);
  thread.postMessage(Uint8Array.from(decodeBase64(text, HASH_BYTES)));
};
