import { z } from "zod";
import { checkAll } from "../operations/checks.ts";
import { Email } from "../schemas/user.ts";
import { command } from "./command.ts";
import { table } from "./text.ts";

/** `check` */
export const check = command({
  name: "check",
  summary: "Check the configuration, the database, the store and the emails",
  details: "Ends with 1 if a part does not work. Writes and deletes one object in the store.",
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
