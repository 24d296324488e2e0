import { z } from "zod";
import { reportReseal, reportRevocation } from "../installation/secrets.ts";
import { command } from "./command.ts";

/** `secrets reseal` */
export const secretsReseal = command({
  name: "secrets reseal",
  summary: "Seal again what APP_SECRET_PREVIOUS has sealed",
  details: "Ends with 1 and names each value that no secret opens. All others have been sealed again.",
  input: z.object({}),
  run: reportReseal,
});

/** `secrets revoke` */
export const secretsRevoke = command({
  name: "secrets revoke",
  summary: "After a leak: end all sessions, API tokens, keys, links and codes",
  details: "Everyone has to log in again. Passwords and passkeys stay.",
  options: [{ flags: "--yes", description: "do it", isRequired: true }],
  input: z.object({ yes: z.literal(true) }),
  run: reportRevocation,
});
