import { DAY_SECONDS, HOUR_SECONDS } from "../../lib/duration.ts";

/** A minimal model of accounts and sessions, which computes the status that the app must return. */

const SESSION_SECONDS = 7 * DAY_SECONDS;
const SESSION_MAX_SECONDS = 90 * DAY_SECONDS;
const EMAILS_PER_HOUR = 3;

interface ModelToken {
  endsAt: number;
  isUsed: boolean;
}

interface ModelAccount {
  password: string;
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
    const created = { password, isVerified: false, verificationTokens: [], resetTokens: [] };
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
    return this.#findSession(client) ? 200 : 401;
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
    const recent = tokens.filter(({ endsAt }) => endsAt - lifetimeSeconds > this.now - HOUR_SECONDS);
    if (recent.length >= EMAILS_PER_HOUR) return false;
    tokens.push({ endsAt: this.now + lifetimeSeconds, isUsed: false });
    return true;
  }

  #isValid(token: ModelToken | undefined): boolean {
    return token !== undefined && !token.isUsed && this.now < token.endsAt;
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
