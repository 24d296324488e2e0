import { signingKeyPlace } from "../../access/signing_keys.ts";
import type { Config } from "../../config/config.ts";
import { unseal } from "../../crypto/sealed.ts";
import { refreshKeyPlace } from "../../grants/refresh_key.ts";
import { payloadPlace } from "../../mail/outbox.ts";
import { secretPlace } from "../../webhooks/webhook_secret.ts";
import { unsealSecret } from "../../sign_in/second_factor/totp_secret.ts";

/** The values that a row of a backup may have. */
type Row = Record<string, string | null>;

/** A kind of value that is sealed with APP_SECRET. */
interface SealedKind {
  /** What an operator calls it. */
  name: string;
  /** Null if the row holds no such value. */
  sealedOf(row: Row): string | null | undefined;
  /** @throws if no secret opens it. */
  open(sealed: string, row: Row, config: Config): Promise<unknown>;
}

const KINDS: Record<string, SealedKind> = {
  signing_keys: {
    name: "keys of access tokens",
    sealedOf: (row) => row.private_key,
    open: (sealed, { id }, config) => unseal(sealed, signingKeyPlace({ config }, id!)),
  },
  totp_secrets: {
    name: "authenticator apps",
    sealedOf: (row) => row.secret ?? row.pending_secret,
    open: (sealed, { user_id: userId }, config) => unsealSecret(sealed, { userId: userId!, config }),
  },
  outbox: {
    name: "emails that wait",
    sealedOf: (row) => row.payload,
    open: (sealed, { id }, config) => unseal(sealed, payloadPlace(id!, config)),
  },
  grants: {
    name: "refresh tokens",
    sealedOf: (row) => row.refresh_key,
    open: (sealed, { id }, config) => unseal(sealed, refreshKeyPlace(id!, config)),
  },
  webhook_secrets: {
    name: "secrets of webhooks",
    sealedOf: (row) => row.secret,
    open: (sealed, { id }, config) => unseal(sealed, secretPlace(id!, config)),
  },
};
/** Values of one kind that are tried. Some may be older than APP_SECRET, although it is the right one. */
const MAX_TRIES = 1_000;

/**
 * Finds out whether APP_SECRET or APP_SECRET_PREVIOUS opens what is sealed in a backup. One value of each kind
 * suffices.
 */
export class SealedValues {
  readonly #config: Config;
  readonly #opened = new Set<string>();
  readonly #refused = new Map<string, number>();

  constructor(config: Config) {
    this.#config = config;
  }

  /** Tries the values in rows of a table, which are lines of JSON, until one opens. */
  async look(table: string, lines: string[]): Promise<void> {
    if (!Object.hasOwn(KINDS, table)) return;
    const kind = KINDS[table];
    for (const line of lines) {
      const tries = this.#refused.get(table) ?? 0;
      if (this.#opened.has(table) || tries >= MAX_TRIES) return;
      const row: Row = JSON.parse(line);
      const sealed = kind.sealedOf(row);
      if (!sealed) continue;
      const isOpen = await kind.open(sealed, row, this.#config).then(() => true, () => false);
      if (isOpen) this.#opened.add(table);
      else this.#refused.set(table, tries + 1);
    }
  }

  /** The kinds of which no value opens. */
  unreadable(): string[] {
    return [...this.#refused.keys()].filter((table) => !this.#opened.has(table)).map((table) => KINDS[table].name);
  }
}
