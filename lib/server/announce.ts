import { findSetupLink } from "../accounts/first_admin.ts";
import { readFirstSteps } from "../admin/setup_report.ts";
import { errorFields } from "../log/log.ts";
import { isLogReadable } from "../log/readable_log.ts";
import type { Services } from "../services/services.ts";
import { isFirstIsolate, isolateNumber } from "../start/isolates.ts";
import { COMMIT, VERSION } from "../version.ts";

/**
 * Says that the service listens, and prints the link that makes the first admin. The link opens nothing else, once, for
 * an hour, so the log may have it. In a terminal in development, a few lines say what comes next instead.
 */
export async function announce(services: Services): Promise<void> {
  const { config, log } = services;
  const isForPeople = !config.isProduction && isLogReadable(config);
  if (!isForPeople) {
    log("info", "listening", { url: config.baseUrl, version: VERSION, commit: COMMIT, isolate: isolateNumber });
  }
  if (!isFirstIsolate) return;
  try {
    const link = await findSetupLink(services);
    if (isForPeople) { for (const line of await linesOf(services, link)) log("info", line); }
    else if (link !== null) log("info", "there is no admin yet; open this link to make the first one", { link });
  } catch (error) {
    log("warn", "could not make the link for the first admin", errorFields(error));
  }
}

/** Where the service and its emails are, and what is left to do. */
async function linesOf(services: Services, setupLink: string | null): Promise<string[]> {
  const { baseUrl } = services.config;
  const { keepsMails, hasPeople, seedCommand, isEmbedded } = await readFirstSteps(services);
  return [
    `Foyer ${VERSION}:  ${baseUrl}`,
    `Emails:       ${keepsMails ? `${baseUrl}/dev/outbox` : "leave this machine"}`,
    ...setupLink === null ? [] : [`First admin:  ${setupLink}`],
    ...hasPeople || seedCommand === null
      ? []
      : [`Demo data:    ${seedCommand}${isEmbedded ? ", after you have stopped this" : ""}`],
  ];
}
