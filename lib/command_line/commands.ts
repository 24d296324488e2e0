import { z } from "zod";
import { reportUploads } from "../uploads/upload_report.ts";
import { type Command, command } from "./command.ts";
import { secretsReseal, secretsRevoke } from "./secrets.ts";

const uploadsCheck = command({
  name: "uploads check",
  summary: "Show what the sweeps of uploads will do next",
  details: "Changes nothing. Also names rows whose objects are missing in the store.",
  input: z.object({}),
  run: reportUploads,
});

/** All commands, in the order of the help. */
export const COMMANDS: Command[] = [secretsReseal, secretsRevoke, uploadsCheck];

/** What the commands with the same first word are about. */
export const GROUPS: Record<string, string> = {
  secrets: "Replace APP_SECRET, or answer a leak of it",
  uploads: "Look at stored files",
};
