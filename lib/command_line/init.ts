import { parseEnv } from "node:util";
import { z } from "zod";
import { COMMAND } from "../config/command_name.ts";
import { findSettings, readSettings } from "../config/config.ts";
import { ENV_FILE } from "../config/env_file.ts";
import { envText } from "../config/env_text.ts";
import { SETTINGS } from "../config/environment.ts";
import { LOOPBACK_NAMES } from "../network/loopback.ts";
import { command } from "./command.ts";

const SECRET_BYTES = 32;
const OWNER_ONLY = 0o600;
/** What suits a service that people reach over the internet, through a proxy on the same machine. */
const FOR_PRODUCTION = {
  HOST: "127.0.0.1",
  TRUSTED_PROXIES: "1",
  PEOPLE: "verified",
  PUBLIC_USER_EMAILS: "false",
  LOGIN_COUNTS: "failures",
  PBKDF2_ITERATIONS: "600000",
};

const Answers = z.object({
  url: z.string(),
  database: z.string().optional(),
  mail: z.string().optional(),
  from: z.string().optional(),
  registration: z.string(),
  uploads: z.string(),
});
type Answers = z.infer<typeof Answers>;

/** A question. Pressing Enter gives the standard answer. */
interface Question {
  text: string;
  standard?: string;
  /** The settings that may be wrong because of the answer. */
  settings: string[];
}

const QUESTIONS: Record<Exclude<keyof Answers, "from">, Question> = {
  url: {
    text: "Which address will people open?",
    standard: "http://localhost:8000",
    settings: ["BASE_URL", "PORT"],
  },
  database: {
    text: "Which PostgreSQL? Such as postgres://foyer:password@db.example.com/foyer; nothing for the embedded database",
    settings: ["DATABASE_URL"],
  },
  mail: {
    text:
      "Which mail server? Such as smtp://foyer:password@mail.example.com:587, or the token of a delivery service; " +
      "nothing writes emails into files, for a trial",
    settings: ["EMAIL_URL", "EMAIL_API_TOKEN", "EMAIL_FROM"],
  },
  registration: {
    text: "Who may create an account? open (anyone), invited or closed",
    standard: "open",
    settings: ["REGISTRATION"],
  },
  uploads: {
    text: "What may people store? on (files and photos), photos (only pictures of people) or off (only sign-on)",
    standard: "on",
    settings: ["UPLOADS"],
  },
};
const STANDARDS = Object.fromEntries(Object.entries(QUESTIONS).map(([name, { standard }]) => [name, standard]));

/** `init` */
export const init = command({
  name: "init",
  summary: `Ask a few questions, and write the settings into ${ENV_FILE} in this folder`,
  details: "Changes no file that exists. An option answers its question, and with --yes nothing is asked.",
  options: [
    { flags: "--url <origin>", description: "the address that people open" },
    { flags: "--database <url>", description: "PostgreSQL in place of the embedded database" },
    { flags: "--mail <server>", description: "a mail server (smtp://...), or the token of a delivery service" },
    { flags: "--from <address>", description: "the sender of emails" },
    {
      flags: "--registration <who>",
      description: "who may create an account",
      choices: SETTINGS.REGISTRATION.rule.unwrap().options,
    },
    {
      flags: "--uploads <what>",
      description: "what people may store",
      choices: SETTINGS.UPLOADS.rule.unwrap().options,
    },
    { flags: "--yes", description: "ask nothing" },
  ],
  besideService: "without settings",
  input: Answers.partial().extend({ yes: z.boolean().optional() }),
  async run({ config }, { yes = false, ...given }) {
    await requireNoFile();
    const answers = Answers.parse(yes ? { ...STANDARDS, ...given } : ask(given));
    const values = { ...settingsFrom(answers), APP_SECRET: config.appSecret || createSecret() };
    const text = envText(values);
    requireReadable(text, values);
    await Deno.writeTextFile(ENV_FILE, text, { createNew: true, mode: OWNER_ONLY });
    return { text: nextSteps(answers), value: { file: ENV_FILE } };
  },
});

async function requireNoFile(): Promise<void> {
  const isThere = await Deno.lstat(ENV_FILE).then(() => true, () => false);
  if (isThere) throw new Error(`${ENV_FILE} exists, and nothing was changed. Edit it, or move it away first`);
}

/** Asks what the options do not answer, again until the answer is valid. */
function ask(given: Partial<Answers>): Record<string, string | undefined> {
  if (!Deno.stdin.isTerminal()) throw new Error("There is no terminal to ask in. Add --yes, and answer by options");
  const answers: Record<string, string | undefined> = { ...given };
  for (const [name, { text, standard, settings }] of Object.entries(QUESTIONS)) {
    let problems: string[] = [];
    while (answers[name] === undefined) {
      const question = standard === undefined ? text : `${text} [${standard}]`;
      const typed = prompt([...problems, question, ">"].join("\n"));
      if (typed === null) throw new Error("Nothing was written");
      const answer = typed || standard || "";
      problems = problemsWith(settingsFrom({ ...STANDARDS, ...answers, [name]: answer } as Answers), settings);
      if (problems.length === 0) answers[name] = answer;
    }
  }
  return answers;
}

function problemsWith(values: Record<string, string | undefined>, settings: string[]): string[] {
  return findSettings(values).problems.filter((line) => settings.some((name) => line.startsWith(`- ${name}:`)));
}

/** What is undefined is explained by an example. An empty answer is none. */
function settingsFrom(
  { url, database, mail, from, registration, uploads }: Answers,
): Record<string, string | undefined> {
  const { hostname, port } = URL.parse(url) ?? { hostname: "", port: "" };
  const isProduction = isForOthers(url);
  const isServer = mail?.includes("://");
  return {
    APP_ENV: isProduction ? "production" : "development",
    BASE_URL: url,
    ...!isProduction && port !== "" && { PORT: port },
    DATABASE_URL: database || undefined,
    EMAIL_URL: isServer ? mail : undefined,
    EMAIL_API_TOKEN: isServer ? undefined : mail || undefined,
    EMAIL_FROM: from ?? `Foyer <no-reply@${hostname}>`,
    RETURN_ORIGINS: undefined,
    REGISTRATION: registration,
    UPLOADS: uploads,
    ...isProduction && FOR_PRODUCTION,
  };
}

/** Whether others than the machine itself open this address. */
function isForOthers(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && !LOOPBACK_NAMES.includes(parsed.hostname);
}

/** Reads the text as a start does. */
function requireReadable(text: string, values: Record<string, string | undefined>): void {
  const read = parseEnv(text);
  for (const [name, value] of Object.entries(values)) {
    if (read[name] !== value) throw new Error(`A file ${ENV_FILE} cannot have this value of ${name}`);
  }
  readSettings(read);
}

function createSecret(): string {
  return crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toBase64();
}

function nextSteps({ url }: Answers): string {
  const steps = [
    `Start the service: ${COMMAND} start`,
    ...isForOthers(url)
      ? [`Let a proxy with TLS pass requests for ${url} to it, as http://localhost:8000/docs/deployment.md says`]
      : [],
    "Open the link in its log: it makes the first admin",
  ];
  return [`${ENV_FILE} has your settings. Only you can read it.`, "Next:", ...steps.map((step) => `- ${step}`)].join(
    "\n",
  );
}
