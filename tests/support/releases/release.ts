import type { SavedPasskey } from "../app/software_authenticator.ts";

/** What is known about the backup of a release: VERSION.json beside VERSION.tar. */
export interface Release {
  version: string;
  /** When the backup was made, by the clock of the installation. */
  createdAt: string;
  appSecret: string;
  /** The environment of the installation. The addresses of its providers are those of the recording. */
  settings: Record<string, string>;
  /** The content of its CLIENTS_FILE. */
  registrations: { clients: Record<string, unknown>[]; resources: Record<string, unknown>[] };
  people: Person[];
}

/** Someone in the backup. */
export interface Person {
  /** What is special about them, for people. */
  name: string;
  id: string;
  email: string;
  /** What they had, in an order in which nothing uses up what follows. */
  had: Possession[];
}

/** Where a browser is that has gone through a way in. By default it has a session. */
export interface Entry {
  /** "second step", "closing session", "waiting session", "new account" or the status and code of a refusal. */
  outcome?: string;
}

/** The ways in, and what each needs. */
export interface WaysIn {
  /** In a new browser, or in one that the account knows. */
  password: Entry & { password: string; device?: string };
  passkey: Entry & { passkey: SavedPasskey };
  /** A password, then the code of an authenticator app. */
  totp: Entry & { password: string; secret: string };
  recoveryCode: Entry & { password: string; code: string };
  /** A password, then a passkey. */
  secondPasskey: Entry & { password: string; passkey: SavedPasskey };
  /** A login that had the right password before the backup, and waits for its second step. */
  waitingLogin: Entry & { cookie: string; secret: string };
  /** A code that is asked for and emailed after the backup. */
  newCode: Entry;
  /** A code that was emailed before the backup. */
  code: Entry & { code: string };
  /** An identity provider, and what it says about the person. */
  provider: Entry & { provider: string; person: Record<string, unknown> };
  /** The link beside an emailed code, in the browser that asked for it. */
  codeLink: Entry & { token: string; cookie: string };
  /** A link that operators hand over. */
  link: Entry & { token: string };
  /** The link in an invitation. */
  invitation: Entry & { token: string };
  /** A link that sets a new password. */
  reset: Entry & { token: string };
  /** A link that confirms the address, and then the password. */
  verification: Entry & { token: string; password: string };
  /** An email that waited when the backup was made: its link confirms the address. */
  waitingEmail: Entry & { password: string };
}

/** What else people had. */
export interface Belongings {
  session: { cookie: string; status?: number };
  /** A browser that is known: its logins cause no alert. */
  knownBrowser: { cookie: string; password: string };
  role: { role: string; password: string };
  apiToken: { token: string; path?: string; status?: number };
  /** A token for a product, which verifies it with the published keys. */
  accessToken: { token: string; audience: string };
  refreshToken: { clientId: string; token: string; secret?: string };
  /** The code of a device, and the code that the person has not typed yet. */
  device: { clientId: string; code: string; userCode?: string; cookie: string };
  groups: { cookie: string; names: string[] };
  /** The access token of an app, at userinfo. */
  userinfo: { token: string };
  /** A file with this SHA-256. */
  publicFile: { path: string; hash: string };
  /** One that guests do not see. */
  privateFile: { path: string; hash: string; session: string };
  /** A link to a private file. */
  fileLink: { path: string; hash: string };
  /** A file that had been announced, and had not arrived. */
  announcedFile: { id: string; path: string; text: string; session: string };
  /** What the API says about the account. */
  profile: { cookie: string; fields: Record<string, unknown> };
  /** A request that was sent under an Idempotency-Key: it is not done again. */
  request: { cookie: string; key: string; path: string; body: unknown };
  /** An authenticator app that waits for its first code. */
  newTotp: { cookie: string; secret: string; password: string };
  /** A provider that waits to be connected, in the browser with this session. */
  identityLink: { cookie: string; token: string };
  /** What someone has allowed an app: it is not asked again. */
  consent: { cookie: string; clientId: string };
  /** A code that an app has not exchanged yet. */
  authorizationCode: { clientId: string; code: string; verifier: string };
  emailChange: { token: string; email: string };
  /** A link in an alert: it undoes the change of the password. */
  notMe: { token: string; password: string };
  /** A link that starts the wait after which a lost factor is removed. */
  factorReset: { token: string };
  /** A link that stops this wait. */
  stopFactorReset: { token: string };
  /** A wait that nobody stops. Then the password is enough. */
  lostFactor: { password: string };
  /** A webhook with events that were to be sent, and all secrets that sign them. */
  webhook: { url: string; secrets: string[]; events: string[] };
  /** An app that was to hear about the end of a session. */
  logout: { url: string; clientId: string };
}

type Kinds = WaysIn & Belongings;
export type Kind = keyof Kinds;
/** Something that a person had. */
export type Possession = { [K in Kind]: { kind: K } & Kinds[K] }[Kind];
/** What is recorded about one kind. */
export type Recorded<K extends Kind> = Kinds[K];
