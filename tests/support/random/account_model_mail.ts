import { DAY_SECONDS, HOUR_SECONDS } from "../../../lib/duration.ts";

export type LinkPage = "verify-email" | "reset-password" | "confirm-email" | "not-me";
export type LinkKind = "verification" | "reset" | "recovery" | "emailChange" | "alert" | "newDevice";

interface KindOfLink {
  /** Where the link leads. */
  page: LinkPage;
  lifetimeSeconds: number;
  /** How many emails of this kind an account gets, and within what time. */
  quota?: [count: number, windowSeconds: number];
  /** The earlier links that a new one voids. */
  replaces?: LinkKind[];
}

const KINDS: Record<LinkKind, KindOfLink> = {
  verification: { page: "verify-email", lifetimeSeconds: DAY_SECONDS, quota: [3, HOUR_SECONDS] },
  reset: {
    page: "reset-password",
    lifetimeSeconds: HOUR_SECONDS,
    quota: [3, HOUR_SECONDS],
    replaces: ["reset", "recovery"],
  },
  recovery: { page: "reset-password", lifetimeSeconds: HOUR_SECONDS },
  emailChange: { page: "confirm-email", lifetimeSeconds: DAY_SECONDS, replaces: ["emailChange"] },
  alert: { page: "not-me", lifetimeSeconds: 7 * DAY_SECONDS },
  newDevice: { page: "not-me", lifetimeSeconds: 7 * DAY_SECONDS, quota: [5, DAY_SECONDS] },
};

/** A link that was emailed to an address, on behalf of an account. */
export interface ModelLink<Account> {
  kind: LinkKind;
  account: Account;
  address: number;
  sentAt: number;
  isUsed: boolean;
}

/** All emails with links that the modeled app has sent. */
export class ModelMail<Account> {
  #links: ModelLink<Account>[] = [];

  /** The pages and addresses of all links so far. */
  sent(): { page: LinkPage; address: number }[] {
    return this.#links.map(({ kind, address }) => ({ page: KINDS[kind].page, address }));
  }

  /** Sends a link, unless the account has got enough emails of this kind. */
  send(link: Omit<ModelLink<Account>, "isUsed">): void {
    const { quota: [count, windowSeconds] = [Infinity, 0], replaces = [] } = KINDS[link.kind];
    const recent = this.#of(link.account).filter(({ kind, sentAt }) =>
      kind === link.kind && sentAt > link.sentAt - windowSeconds
    );
    if (recent.length >= count) return;
    this.void(link.account, replaces);
    this.#links.push({ ...link, isUsed: false });
  }

  /** Finds a link that works, by its place among those to the address that lead to the page. The newest has index 0. */
  find(
    page: LinkPage,
    { address, index, now }: { address: number; index: number; now: number },
  ): ModelLink<Account> | null {
    const link = this.#links.filter((link) => KINDS[link.kind].page === page && link.address === address)
      .at(-1 - index);
    return link !== undefined && isValid(link, now) ? link : null;
  }

  void(account: Account, kinds: LinkKind[]): void {
    for (const link of this.#of(account)) if (kinds.includes(link.kind)) link.isUsed = true;
  }

  /** Voids the links since a time, or all. */
  voidSince(account: Account, since = 0): void {
    for (const link of this.#of(account)) if (link.sentAt >= since) link.isUsed = true;
  }

  /** Whether an alert could give the address back to another account. */
  isReserved(address: number, { except, now }: { except?: Account; now: number }): boolean {
    return this.#links.some((link) =>
      isAlert(link) && link.address === address && link.account !== except && isValid(link, now)
    );
  }

  #of(account: Account): ModelLink<Account>[] {
    return this.#links.filter((link) => link.account === account);
  }
}

function isAlert({ kind }: Pick<ModelLink<unknown>, "kind">): boolean {
  return KINDS[kind].page === "not-me";
}

function isValid({ kind, sentAt, isUsed }: ModelLink<unknown>, now: number): boolean {
  return !isUsed && now < sentAt + KINDS[kind].lifetimeSeconds;
}
