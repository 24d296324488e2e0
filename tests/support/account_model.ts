import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "../../lib/duration.ts";

/** A minimal model of accounts and sessions, which computes the status that the app must return. */

const SESSION_SECONDS = 7 * DAY_SECONDS;
const SESSION_MAX_SECONDS = 90 * DAY_SECONDS;
const EMAILS_PER_HOUR = 3;
const SUDO_SECONDS = 15 * MINUTE_SECONDS;
const ALERT_SECONDS = 7 * DAY_SECONDS;

interface ModelToken {
  endsAt: number;
  isUsed: boolean;
  /** Whether its email counts under the hourly limit. */
  isLimited: boolean;
}

/** An email about a change of the password. */
interface ModelAlert extends ModelToken {
  sentAt: number;
}

interface ModelAccount {
  /** Null after a report that a change of it was not the owner's. */
  password: string | null;
  /** When the account was closed. */
  closedAt: number | null;
  alerts: ModelAlert[];
  isVerified: boolean;
  verificationTokens: ModelToken[];
  resetTokens: ModelToken[];
}

interface ModelSession {
  account: ModelAccount;
  startedAt: number;
  endsAt: number;
}

export class AccountModel {
  now = 0;
  accounts = new Map<number, ModelAccount>();
  sessions = new Map<number, ModelSession>();

  register(client: number, account: number, password: string): number {
    this.#findSession(client);
    if (this.accounts.has(account)) return 409;
    const created: ModelAccount = {
      password,
      closedAt: null,
      alerts: [],
      isVerified: false,
      verificationTokens: [],
      resetTokens: [],
    };
    this.accounts.set(account, created);
    this.#issue(created.verificationTokens, DAY_SECONDS);
    this.#open(client, created);
    return 201;
  }

  login(client: number, account: number, password: string): number {
    this.#findSession(client);
    const found = this.accounts.get(account);
    if (found?.password !== password) return 401;
    if (!found.isVerified) return 403;
    this.#open(client, found);
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
    useUp(account.resetTokens);
    this.#endSessions(account, client);
    if (account.isVerified) {
      const endsAt = this.now + ALERT_SECONDS;
      account.alerts.push({ sentAt: this.now, endsAt, isUsed: false, isLimited: false });
    }
    return 200;
  }

  endOthers(client: number): number {
    const refusal = this.#refusal(client);
    if (refusal === null) this.#endSessions(this.sessions.get(client)!.account, client);
    return refusal ?? 200;
  }

  close(client: number): number {
    const refusal = this.#refusal(client);
    if (refusal !== null) return refusal;
    const { account, startedAt } = this.sessions.get(client)!;
    if (this.now > startedAt + SUDO_SECONDS) return 403;
    account.closedAt = this.now;
    this.#endSessions(account);
    return 202;
  }

  keep(client: number): number {
    if (!this.#findSession(client)) return 401;
    this.sessions.get(client)!.account.closedAt = null;
    return 200;
  }

  notMe(account: number, alert: number): number {
    const found = this.accounts.get(account);
    const reported = found?.alerts[alert];
    if (!found || !this.#isValid(reported)) return 400;
    reported!.isUsed = true;
    useUp(found.alerts.filter(({ sentAt }) => sentAt >= reported!.sentAt));
    useUp([...found.resetTokens, ...found.verificationTokens]);
    found.password = null;
    if (found.closedAt !== null && found.closedAt >= reported!.sentAt) found.closedAt = null;
    this.#endSessions(found);
    found.resetTokens.push({ endsAt: this.now + HOUR_SECONDS, isUsed: false, isLimited: false });
    return 200;
  }

  verify(client: number, account: number, token: number): number {
    this.#findSession(client);
    const found = this.accounts.get(account);
    if (!found || !this.#isValid(found.verificationTokens[token])) return 400;
    found.isVerified = true;
    useUp(found.verificationTokens);
    this.#endSessions(found, client);
    return 200;
  }

  reject(client: number, account: number, token: number): number {
    this.#findSession(client);
    const found = this.accounts.get(account);
    if (!found || !this.#isValid(found.verificationTokens[token])) return 400;
    this.accounts.delete(account);
    this.#endSessions(found);
    return 200;
  }

  resend(account: number): number {
    const found = this.accounts.get(account);
    if (found && !found.isVerified) this.#issue(found.verificationTokens, DAY_SECONDS);
    return 200;
  }

  forgot(account: number): number {
    const found = this.accounts.get(account);
    if (!found) return 200;
    const before = found.resetTokens.slice();
    if (this.#issue(found.resetTokens, HOUR_SECONDS)) useUp(before);
    return 200;
  }

  reset(account: number, token: number, password: string): number {
    const found = this.accounts.get(account);
    if (!found || !this.#isValid(found.resetTokens[token])) return 400;
    Object.assign(found, { password, isVerified: true });
    useUp([...found.resetTokens, ...found.verificationTokens]);
    this.#endSessions(found);
    return 200;
  }

  #issue(tokens: ModelToken[], lifetimeSeconds: number): boolean {
    const recent = tokens.filter(({ isLimited, endsAt }) =>
      isLimited && endsAt - lifetimeSeconds > this.now - HOUR_SECONDS
    );
    if (recent.length >= EMAILS_PER_HOUR) return false;
    tokens.push({ endsAt: this.now + lifetimeSeconds, isUsed: false, isLimited: true });
    return true;
  }

  #isValid(token: ModelToken | undefined): boolean {
    return token !== undefined && !token.isUsed && this.now < token.endsAt;
  }

  /** The status of an act that needs a session of an account that is not closing; null if it may be done. */
  #refusal(client: number): number | null {
    if (!this.#findSession(client)) return 401;
    return this.sessions.get(client)!.account.closedAt === null ? null : 403;
  }

  #open(client: number, account: ModelAccount): void {
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

  #endSessions(account: ModelAccount, exceptClient?: number): void {
    for (const [client, session] of this.sessions) {
      if (session.account === account && client !== exceptClient) this.sessions.delete(client);
    }
  }
}

function useUp(tokens: ModelToken[]): void {
  for (const token of tokens) token.isUsed = true;
}
