import { DAY_SECONDS, MINUTE_SECONDS } from "../../../lib/duration.ts";
import { type LinkKind, type LinkPage, type ModelLink, ModelMail } from "./account_model_mail.ts";

/**
 * A minimal model of accounts and sessions, which computes the status that the app must return. Clients and addresses
 * are numbers.
 */

const SESSION_SECONDS = 7 * DAY_SECONDS;
const SESSION_MAX_SECONDS = 90 * DAY_SECONDS;
const SUDO_SECONDS = 15 * MINUTE_SECONDS;
const MAX_CORRECTIONS = 3;

interface ModelAccount {
  address: number;
  /** Null after a report that a change was not the owner's. */
  password: string | null;
  isVerified: boolean;
  /** How many other addresses it has named before one was confirmed. */
  corrections: number;
  /** When the account was closed. */
  closedAt: number | null;
  /** The clients that have signed in, and when they first did. */
  devices: Map<number, number>;
}

interface ModelSession {
  account: ModelAccount;
  startedAt: number;
  endsAt: number;
}

export class AccountModel {
  now = 0;
  accounts = new Set<ModelAccount>();
  sessions = new Map<number, ModelSession>();
  mail = new ModelMail<ModelAccount>();

  advance(seconds: number): void {
    this.now += seconds;
  }

  register(client: number, address: number, password: string): number {
    this.#findSession(client);
    if (this.#isTaken(address)) return 409;
    const account = { address, password, isVerified: false, corrections: 0, closedAt: null, devices: new Map() };
    this.accounts.add(account);
    this.#send("verification", account);
    this.#open(client, account);
    return 201;
  }

  login(client: number, address: number, password: string): number {
    this.#findSession(client);
    const account = this.#accountAt(address);
    if (account?.password !== password) return 401;
    if (!account.isVerified) return 403;
    this.#open(client, account);
    return 200;
  }

  logout(client: number): number {
    const isActive = this.#findSession(client);
    this.sessions.delete(client);
    return isActive ? 200 : 401;
  }

  profile(client: number): number {
    return this.#refusal(client) ?? 200;
  }

  changePassword(client: number, currentPassword: string, newPassword: string): number {
    const refusal = this.#refusal(client);
    if (refusal !== null) return refusal;
    const { account } = this.sessions.get(client)!;
    if (account.password !== currentPassword) return 403;
    account.password = newPassword;
    this.#alert(account);
    this.#endAccess(account, { void: ["reset", "recovery", "emailChange"], exceptClient: client });
    return 200;
  }

  changeEmail(client: number, address: number): number {
    const refusal = this.#refusal(client) ?? this.#proofRefusal(client);
    if (refusal !== null) return refusal;
    const { account } = this.sessions.get(client)!;
    const isNamed = this.mail.waitingAddress(account, this.now) === address;
    if (!account.isVerified && !isNamed && ++account.corrections > MAX_CORRECTIONS) return 403;
    const isFree = account.address !== address && !this.#isTaken(address, account);
    if (isFree && this.#send("emailChange", account, address)) this.#alert(account);
    else this.mail.hide({ kind: "emailChange", account, address, sentAt: this.now });
    return 200;
  }

  confirmEmail(address: number, index: number): number {
    const account = this.#findLink("confirm-email", address, index)?.account;
    if (account === undefined) return 400;
    if (this.#isTaken(address, account)) return 409;
    this.#alert(account);
    Object.assign(account, { address, isVerified: true });
    this.mail.void(account, ["verification", "reset", "recovery", "emailChange"]);
    return 200;
  }

  endOthers(client: number): number {
    const refusal = this.#refusal(client);
    if (refusal !== null) return refusal;
    this.#endAccess(this.sessions.get(client)!.account, { exceptClient: client });
    return 200;
  }

  close(client: number): number {
    const refusal = this.#refusal(client) ?? this.#proofRefusal(client);
    if (refusal !== null) return refusal;
    const { account } = this.sessions.get(client)!;
    account.closedAt = this.now;
    this.#alert(account);
    this.#endAccess(account, { void: ["emailChange"] });
    return 202;
  }

  keep(client: number): number {
    if (!this.#findSession(client)) return 401;
    this.sessions.get(client)!.account.closedAt = null;
    return 200;
  }

  notMe(address: number, index: number): number {
    const alert = this.#findLink("not-me", address, index);
    if (alert === null) return 400;
    const { account, sentAt } = alert;
    Object.assign(account, { address, password: null });
    if (account.closedAt !== null && account.closedAt >= sentAt) account.closedAt = null;
    for (const [client, since] of account.devices) if (since >= sentAt) account.devices.delete(client);
    this.mail.voidSince(account, sentAt);
    this.#endAccess(account, { void: ["verification", "reset", "recovery", "emailChange"] });
    this.#send("recovery", account);
    return 200;
  }

  verify(client: number, address: number, index: number): number {
    this.#findSession(client);
    const account = this.#findLink("verify-email", address, index)?.account;
    if (account === undefined) return 400;
    account.isVerified = true;
    this.#endAccess(account, { void: ["verification", "emailChange"], exceptClient: client });
    return 200;
  }

  reject(client: number, address: number, index: number): number {
    this.#findSession(client);
    const account = this.#findLink("verify-email", address, index)?.account;
    if (account === undefined) return 400;
    this.accounts.delete(account);
    this.mail.voidSince(account);
    this.#endAccess(account, {});
    return 200;
  }

  resend(address: number): number {
    const account = this.#accountAt(address);
    if (account?.isVerified === false) this.#send("verification", account);
    return 200;
  }

  forgot(address: number): number {
    const account = this.#accountAt(address);
    if (account) this.#send("reset", account);
    return 200;
  }

  reset(client: number, address: number, index: number, password: string): number {
    this.#findSession(client);
    const account = this.#findLink("reset-password", address, index)?.account;
    if (account === undefined) return 400;
    if (!account.isVerified) account.devices.clear();
    Object.assign(account, { password, isVerified: true });
    this.#endAccess(account, { void: ["verification", "reset", "recovery", "emailChange"] });
    this.#open(client, account);
    return 200;
  }

  #accountAt(address: number): ModelAccount | undefined {
    return [...this.accounts].find((account) => account.address === address);
  }

  /** Whether another account has the address or can get it back. */
  #isTaken(address: number, by?: ModelAccount): boolean {
    const holder = this.#accountAt(address);
    return holder !== undefined && holder !== by || this.mail.isReserved(address, { except: by, now: this.now });
  }

  #findLink(page: LinkPage, address: number, index: number): ModelLink<ModelAccount> | null {
    return this.mail.find(page, { address, index, now: this.now });
  }

  #send(kind: LinkKind, account: ModelAccount, address = account.address): boolean {
    return this.mail.send({ kind, account, address, sentAt: this.now });
  }

  /** An unverified address gets no alerts. */
  #alert(account: ModelAccount, kind: "alert" | "newDevice" = "alert"): void {
    if (account.isVerified) this.#send(kind, account);
  }

  /** The status of an act that needs a session of an account that is not closing; null if it may be done. */
  #refusal(client: number): number | null {
    if (!this.#findSession(client)) return 401;
    return this.sessions.get(client)!.account.closedAt === null ? null : 403;
  }

  #proofRefusal(client: number): number | null {
    return this.now > this.sessions.get(client)!.startedAt + SUDO_SECONDS ? 403 : null;
  }

  #open(client: number, account: ModelAccount): void {
    if (!account.devices.has(client)) {
      if (account.devices.size > 0) this.#alert(account, "newDevice");
      account.devices.set(client, this.now);
    }
    this.sessions.set(client, { account, startedAt: this.now, endsAt: this.now + SESSION_SECONDS });
  }

  /** Looking up a session extends it if it is past half its lifetime. */
  #findSession(client: number): boolean {
    const session = this.sessions.get(client);
    if (session === undefined || session.endsAt <= this.now) return false;
    if (this.now + SESSION_SECONDS / 2 > session.endsAt) {
      session.endsAt = Math.min(this.now + SESSION_SECONDS, session.startedAt + SESSION_MAX_SECONDS);
    }
    return true;
  }

  #endAccess(account: ModelAccount, ends: { void?: LinkKind[]; exceptClient?: number }): void {
    this.mail.void(account, ends.void ?? []);
    for (const [client, session] of this.sessions) {
      if (session.account === account && client !== ends.exceptClient) this.sessions.delete(client);
    }
  }
}
