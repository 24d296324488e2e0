/**
 * Fills the empty database of DATA_DIR or DATABASE_URL with forty people, through the API and with the functions of the
 * tests. Sends no email.
 */
import { sql } from "kysely";
import { DAY_SECONDS, secondsAfter } from "../lib/duration.ts";
import type { Mail, Services } from "../lib/services/services.ts";
import { PASSWORD } from "./support/app/accounts.ts";
import { DEMO_NAMES, demoEmail, seedDemo } from "./support/app/demo.ts";
import { NO_LIMITS } from "./support/app/no_limits.ts";
import { serve } from "./support/app/test_app.ts";
import { createTestConverter } from "./support/images/test_converter.ts";
import { deliverDueMails } from "./support/mail/deliver_due_mails.ts";

for (const [name, value] of Object.entries(NO_LIMITS)) Deno.env.set(name, value);
try {
  const { database, services } = await import("../main.ts");
  if (services.config.isProduction) throw new Error("Refused in production: everyone would know the passwords");
  await seed(services);
  await database.close();
  const [first] = DEMO_NAMES;
  console.log(
    `${DEMO_NAMES.length} people have joined. After \`deno task start\`, log in at ${services.config.baseUrl}/login as ` +
      `${demoEmail(first)}, an admin. Everyone has the password ${PASSWORD}`,
  );
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  Deno.exit(1);
}
Deno.exit(0); // native threads would keep the process alive

/** Seeds through an app of its own, whose clock starts in the past and which keeps its emails. */
async function seed(original: Services): Promise<void> {
  let now = secondsAfter(new Date(), -DEMO_NAMES.length * DAY_SECONDS);
  const mails: Mail[] = [];
  const services: Services = {
    ...original,
    config: { ...original.config, registration: "open", allowedEmailDomains: [] },
    images: createTestConverter({ maxPixels: original.config.imageMaxPixels }), // no launcher starts processes for it
    log: (level, message, fields) => level === "error" && original.log(level, message, fields),
    now: () => now,
    databaseTime: (offsetSeconds = 0) => sql<Date>`${secondsAfter(now, offsetSeconds)}::timestamptz`,
    mail: { send: (mail) => Promise.resolve(void mails.push(mail)) },
  };
  const { client, close } = await serve(services);
  const advance = (seconds: number) => void (now = secondsAfter(now, seconds));
  await seedDemo({ services, mails, client, advance, deliverMails: () => deliverDueMails(services) });
  await close();
}
