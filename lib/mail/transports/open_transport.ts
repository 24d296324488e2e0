import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import type { Log } from "../../log/log.ts";
import type { MailTransport } from "../../services/services.ts";
import { createDeliveryService } from "./delivery_service.ts";
import { createMailFolder } from "./mail_folder.ts";

/** Opens the configured way of emails. The library for mail servers is loaded only if there is one. */
export async function openMailTransport(
  { baseUrl, dataDir, emailApiUrl: apiUrl, emailApiToken: token, emailFrom: from, emailUrl: url }: Config,
  { log }: { log: Log },
): Promise<MailTransport> {
  if (url !== undefined) {
    const { createSmtpTransport } = await import("./smtp.ts");
    return createSmtpTransport({ url, from, clientName: new URL(baseUrl).hostname });
  }
  return token === undefined
    ? createMailFolder({ directory: join(dataDir, "outbox"), from, log })
    : createDeliveryService({ apiUrl, token, from });
}
