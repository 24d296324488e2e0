import { DAY_SECONDS, HOUR_SECONDS } from "../../../lib/duration.ts";

export type LinkPage = "verify-email" | "reset-password" | "confirm-email" | "not-me";
export type LinkKind = "verification" | "reset" | "recovery" | "emailChange" | "alert" | "newDevice";

interface KindOfLink {
  /** Where the link leads. */
  page: LinkPage;
  lifetimeSeconds: number;
  /** How many emails of this kind an account or an address gets, and within what time. */
  quota?: [count: number, windowSeconds: number, of: "account" | "address"];
  /** The earlier links that a new one voids. */
  replaces?: LinkKind[];
}

const KINDS: Record<LinkKind, KindOfLink> = {
  verification: { page: "verify-email", lifetimeSeconds: DAY_SECONDS, quota: [3, HOUR_SECONDS, "address"] },
  reset: {
    page: "reset-password",
    lifetimeSeconds: HOUR_SECONDS,
    quota: [3, HOUR_SECONDS, "address"],
    replaces: ["reset", "recovery"],
  },
  recovery: { page: "reset-password", lifetimeSeconds: HOUR_SECONDS },
  emailChange: {
    page: "confirm-email",
    lifetimeSeconds: DAY_SECONDS,
    quota: [3, HOUR_SECONDS, "address"],
    replaces: ["emailChange"],
  },
  alert: { page: "not-me", lifetimeSeconds: 7 * DAY_SECONDS },
  newDevice: { page: "not-me", lifetimeSeconds: 7 * DAY_SECONDS, quota: [5, DAY_SECONDS, "account"] },
};

/** A link that was emailed to an address, on behalf of an account. */
export interface ModelLink<Account> {
  kind: LinkKind;
  account: Account;
  address: number;
  sentAt: number;
  isUsed: boolean;
  /** Whether nobody got it: the change of address only waits. */
  isHidden: boolean;
}

type NewLink<Account> = Omit<ModelLink<Account>, "isUsed" | "isHidden">;

/** All emails with links that the modeled app has sent. */
export class ModelMail<Account> {
  #links: ModelLink<Account>[] = [];

  /** The pages and addresses of all links so far. */
  sent(): { page: LinkPage; address: number }[] {
    return this.#sent().map(({ kind, address }) => ({ page: KINDS[kind].page, address }));
  }

  /** Sends a link, unless the account or the address has got enough emails of this kind. Returns whether it is sent. */
  send(link: NewLink<Account>): boolean {
    const { quota: [count, windowSeconds, of] = [Infinity, 0, "account"], replaces = [] } = KINDS[link.kind];
    const recent = this.#sent().filter(({ kind, sentAt, [of]: owner }) =>
      kind === link.kind && owner === link[of] && sentAt > link.sentAt - windowSeconds
    );
    if (recent.length >= count) return false;
    this.void(link.account, replaces);
    this.#links.push({ ...link, isUsed: false, isHidden: false });
    return true;
  }

  /** Stores a link that nobody gets. */
  hide(link: NewLink<Account>): void {
    this.#links.push({ ...link, isUsed: false, isHidden: true });
  }

  /** The address of the newest change that waits. */
  waitingAddress(account: Account, now: number): number | undefined {
    return this.#of(account).findLast((link) => link.kind === "emailChange" && isValid(link, now))?.address;
  }

  /** Finds a link that works, by its place among those to the address that lead to the page. The newest has index 0. */
  find(
    page: LinkPage,
    { address, index, now }: { address: number; index: number; now: number },
  ): ModelLink<Account> | null {
    const link = this.#sent().filter((link) => KINDS[link.kind].page === page && link.address === address)
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

  #sent(): ModelLink<Account>[] {
    return this.#links.filter(({ isHidden }) => !isHidden);
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
