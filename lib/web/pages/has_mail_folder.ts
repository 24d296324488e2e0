import type { Services } from "../../services/services.ts";

/** Whether emails stay on this machine, where developers read them at /dev/outbox. */
export function hasMailFolder({ config, mail }: Pick<Services, "config" | "mail">): boolean {
  return !config.isProduction && mail.listMails !== undefined;
}
