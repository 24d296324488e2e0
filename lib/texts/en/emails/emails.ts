import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "../../../duration.ts";
import { alerts } from "./alerts.ts";
import { reports } from "./reports.ts";
import { requested } from "./requested.ts";

/**
 * The emails. The summary is what lists of emails show beside the subject, and the first line of the text. A heading does
 * not repeat the subject.
 */
export const emails = {
  /** How long a link works, such as "24 hours": whole days from two days on, then whole hours, then whole minutes. */
  lifetime(seconds: number): string {
    if (seconds >= 2 * DAY_SECONDS && seconds % DAY_SECONDS === 0) return count(seconds / DAY_SECONDS, "day");
    if (seconds % HOUR_SECONDS === 0) return count(seconds / HOUR_SECONDS, "hour");
    return count(Math.ceil(seconds / MINUTE_SECONDS), "minute");
  },

  buttonNotWorking: "Button not working? Copy this link into your browser:",
  /** The label of the address, in the facts. */
  account: "Account",
  sentTo: (email: string, product: string, host: string) => `Sent to ${email} by ${product} (${host}).`,

  ...requested,
  ...reports,
  alerts,
};

function count(number: number, unit: "day" | "hour" | "minute"): string {
  return number.toLocaleString("en", { style: "unit", unit, unitDisplay: "long" });
}
