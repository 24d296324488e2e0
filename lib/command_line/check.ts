import { z } from "zod";
import { checkAll } from "../installation/checks.ts";
import { Email } from "../schemas/user.ts";
import { checkBuiltIn, openLanguages, textProblems } from "../texts/languages.ts";
import { command } from "./command.ts";
import { table } from "./text.ts";

/** `check` */
export const check = command({
  name: "check",
  summary: "Check the configuration, the database, the store and the emails",
  details:
    "Ends with 1 if a part does not work, and tries the others too. Writes and deletes one object in the store, and logs " +
    "in to the mail server. Says whose settings it has checked: a running service with the embedded database answers " +
    "with its own.",
  opensParts: true,
  options: [{ flags: "--mail-to <address>", description: "send a test email, and print what the email service says" }],
  input: z.object({ mailTo: Email.optional() }),
  async run(services, input) {
    const checks = await checkAll(services, input);
    const rows = checks.map(({ part, isGood, text }) => [part, isGood ? "works" : "DOES NOT WORK", text]);
    return {
      text: table(["PART", "STATE", ""], rows),
      value: { checks },
      hasFailed: checks.some(({ isGood }) => !isGood),
    };
  },
});

/** `texts check` */
export const textsCheck = command({
  name: "texts check",
  summary: "Check the texts in TEXTS_DIR, as the start does",
  details: "Ends with 1 if a text would stop the start or the build. Names the file and the key of every mistake.",
  besideService: "without database",
  input: z.object({}),
  run({ config }) {
    const { languages, errors: ownErrors, warnings } = openLanguages(config);
    const errors = [...checkBuiltIn().errors, ...ownErrors];
    const tags = [...languages.byTag.keys()];
    const result = errors.length > 0 ? textProblems(errors) : `The texts are valid. Languages: ${tags.join(", ")}.`;
    return Promise.resolve({
      text: [...warnings, result].join("\n"),
      value: { languages: tags, errors, warnings },
      hasFailed: errors.length > 0,
    });
  },
});
