import { z } from "zod";
import { copyDatabase } from "../installation/backup/database_copy.ts";
import { reportExport, reportImport } from "../installation/backup/reports.ts";
import { reportRehearsal } from "../installation/rehearsal/report.ts";
import { command } from "./command.ts";

/** `export` */
export const exportCommand = command({
  name: "export",
  summary: "Write the whole database to a new file",
  details: "Also names what else to copy, in which order. Values that are sealed with APP_SECRET stay sealed, and it " +
    "signs the file.",
  arguments: { file: "the path of the new file; a relative one starts at the folder of the project" },
  options: [{
    flags: "--deleted-only",
    description: "write only who was deleted in the last 90 days, for import --deleted",
  }],
  besideService: "on a copy",
  input: z.object({ file: z.string().min(1), deletedOnly: z.boolean().default(false) }),
  run: reportExport,
});

/** `import` */
export const importCommand = command({
  name: "import",
  summary: "Restore a backup into an empty database",
  details: "All or nothing: a database that holds an account stays as it is, and so does one whose import fails.",
  arguments: { file: "a file that export has written" },
  options: [
    {
      flags: "--deleted <list>",
      description: "another export, newer than the backup: who is deleted in it stays deleted",
    },
    {
      flags: "--move",
      description: "the service has not run since the export: keep sessions, links and emails that wait",
    },
    {
      flags: "--unsigned",
      description: "also accept files that are not signed with APP_SECRET, such as those of older versions",
    },
  ],
  besideService: "refused",
  input: z.object({
    file: z.string().min(1),
    deleted: z.string().min(1).optional(),
    move: z.boolean().default(false),
    unsigned: z.boolean().default(false),
  }).transform(({ move: isMove, unsigned: acceptsUnsigned, ...options }) => ({ ...options, isMove, acceptsUnsigned })),
  createsDatabase: true,
  run: reportImport,
});

/** `rehearse` */
export const rehearseCommand = command({
  name: "rehearse",
  summary: "Find out who could not log in after an upgrade, from a backup",
  details:
    "Restores the backup into a database of its own, migrates it with this version and the settings at hand, and " +
    "checks every way in. Ends with 1 if anyone would be locked out or lose something. It needs no running service, " +
    "and leaves nothing behind.",
  arguments: { file: "a file that export has written" },
  options: [
    { flags: "--sample <number>", description: "look at so many accounts one by one, by chance; default: all" },
    { flags: "--files <folder>", description: "look for the files here, a copy of DATA_DIR/objects" },
    {
      flags: "--back <package>",
      description: "then start an older version, a package of npm, with the migrated database, and log in there",
    },
  ],
  besideService: "on a stage",
  input: z.object({
    file: z.string().min(1),
    sample: z.coerce.number().int().min(1).max(1_000_000_000).optional(),
    files: z.string().min(1).optional(),
    back: z.string().min(1).optional(),
  }),
  run: reportRehearsal,
});

/** What an export beside the service asks it to do. Operators do not call it. */
export const copyCommand = command({
  name: "copy",
  summary: "Copy the files of the embedded database",
  input: z.object({}),
  async run(services) {
    const copy = await copyDatabase(services);
    return { text: copy, value: copy };
  },
});
