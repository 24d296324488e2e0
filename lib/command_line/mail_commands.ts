import { z } from "zod";
import { COMMAND_LINE as by } from "../activity/events.ts";
import { emlOf } from "../mail/transports/eml.ts";
import { exampleMail } from "../mail/examples.ts";
import { MAIL_KINDS } from "../mail/kinds.ts";
import { listMails, retryMail } from "../mail/outbox_list.ts";
import { MAIL_STATUSES } from "../schemas/states.ts";
import { lineOf } from "../schemas/text.ts";
import { BUILT_IN_TAGS, openLanguages, textProblems } from "../texts/languages.ts";
import { getLanguage } from "../texts/texts.ts";
import { type Command, command } from "./command.ts";
import { Limit, LIMIT_OPTION } from "./inputs.ts";
import { mailTable } from "./list_text.ts";
import { forPrograms } from "./text.ts";

const mailsList = command({
  name: "mails list",
  summary: "List emails, the newest first",
  details: "The last answer is what the email service said when it refused. Their content is not shown.",
  options: [
    { flags: "--status <status>", description: "only emails in this state", choices: MAIL_STATUSES },
    LIMIT_OPTION,
  ],
  input: z.object({ status: z.enum(MAIL_STATUSES).optional(), limit: Limit }),
  async run({ db }, query) {
    const mails = await listMails(db, query);
    return { text: mailTable(mails, { withUser: true }), value: forPrograms({ data: mails }) };
  },
});

const mailsRetry = command({
  name: "mails retry",
  summary: "Send a waiting email now",
  details: "One that was sent or has failed has no content anymore: let the person ask for another one.",
  arguments: { id: "the id of the email, as `mails list` shows it" },
  input: z.object({ id: lineOf({ max: 64 }) }),
  async run(services, { id }) {
    await retryMail(services, { id, by });
    return { text: "The service tries again within seconds. mails list shows the result.", value: {} };
  },
});

const mailsPreview = command({
  name: "mails preview",
  summary: "Print the HTML of an email, with example data",
  details: "Sends nothing, and needs no database. The links and codes in it do not work. For a look in a browser: " +
    "mails preview reset --language de --out /tmp/reset.html",
  arguments: { kind: { description: "which email", choices: MAIL_KINDS } },
  options: [{
    flags: "--language <tag>",
    description: "in this language, also one in TEXTS_DIR (default: DEFAULT_LANGUAGE)",
    proposals: BUILT_IN_TAGS,
  }, {
    flags: "--out <file>",
    description: "write it to a file instead. With a name that ends with .eml, the whole email for a mail program. A " +
      "relative path starts at the folder of the project",
  }],
  besideService: "without database",
  input: z.object({
    kind: z.enum(MAIL_KINDS),
    language: z.string().optional(),
    out: z.string().min(1).optional(),
  }),
  async run({ config }, { kind, language: tag, out }) {
    const { languages, errors } = openLanguages(config);
    if (errors.length > 0) throw new Error(textProblems(errors));
    const language = tag === undefined ? languages.default : getLanguage(languages, tag);
    const mail = exampleMail(kind, { ...config, language, frame: languages.mailFrame });
    const value = { kind, out, ...mail };
    if (out === undefined) return { text: mail.html.trimEnd(), value };
    const isWhole = out.endsWith(".eml");
    await Deno.writeTextFile(
      out,
      isWhole ? emlOf(mail, { from: config.emailFrom, id: crypto.randomUUID() }) : mail.html,
    );
    return { text: `Wrote ${isWhole ? "the email" : "the HTML of the email"} “${mail.subject}” to ${out}.`, value };
  },
});

/** What operators do with emails. */
export const MAIL_COMMANDS: Command[] = [mailsList, mailsRetry, mailsPreview];
