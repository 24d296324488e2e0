import { copyCommand, exportCommand, importCommand, rehearseCommand } from "./backup.ts";
import { check, textsCheck } from "./check.ts";
import { CLIENT_COMMANDS } from "./client_commands.ts";
import type { Command } from "./command.ts";
import { GROUP_COMMANDS } from "./group_commands.ts";
import { init } from "./init.ts";
import { MAIL_COMMANDS } from "./mail_commands.ts";
import { OTHER_COMMANDS } from "./other_commands.ts";
import { secretsReseal, secretsRevoke } from "./secrets.ts";
import { USER_COMMANDS } from "./user_commands.ts";
import { importLines, usersImport } from "./user_import.ts";

/** All commands, in the order of the help. */
export const COMMANDS: Command[] = [
  init,
  ...USER_COMMANDS,
  usersImport,
  ...GROUP_COMMANDS,
  ...MAIL_COMMANDS,
  ...OTHER_COMMANDS,
  ...CLIENT_COMMANDS,
  check,
  textsCheck,
  exportCommand,
  importCommand,
  rehearseCommand,
  secretsReseal,
  secretsRevoke,
];

/** Commands that only other commands ask the service to run. */
export const INTERNAL_COMMANDS: Command[] = [copyCommand, importLines];

/** What the commands with the same first word are about. */
export const GROUPS: Record<string, string> = {
  users: "Find, help, keep out and delete people",
  groups: "Put people into groups, which open apps",
  mails: "Look at emails, and send waiting ones now",
  limits: "See and lift limits on requests",
  clients: "Register apps that sign people in",
  texts: "Check your own texts",
  secrets: "Replace APP_SECRET, or answer a leak of it",
  uploads: "Look at stored files",
};

/** What the launcher runs, beside the commands. */
export const PROGRAMS: Record<string, string> = {
  start: "Serve until a signal; the same without a command",
  migrate: "Bring the database up to date, and nothing else",
};
