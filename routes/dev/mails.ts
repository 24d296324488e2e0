import { listFolderMails } from "../../lib/web/pages/mail_folder.ts";
import { pageHandlers } from "../../lib/web/pages/page_handlers.ts";

/** The emails of /dev/outbox, for programs. */
export const handler = pageHandlers({ who: "everyone", whileClosing: "open" }, {
  GET: async (ctx) => Response.json({ data: await listFolderMails(ctx) }, { headers: { "Cache-Control": "no-store" } }),
});
