import { ACCOUNT } from "./account.ts";
import type { Operations } from "./operation.ts";
import { PASSKEYS } from "./passkeys.ts";
import { PEOPLE } from "./people.ts";
import { SECOND_FACTOR } from "./second_factor.ts";
import { SERVICE } from "./service.ts";
import { SIGN_IN } from "./sign_in.ts";
import { TOKENS } from "./tokens.ts";
import { UPLOADS } from "./uploads.ts";

/** The parts of the document, in the order in which it shows them. */
export const SECTIONS: { name: string; description: string; operations: Operations }[] = [
  { name: "Sign-in", description: "How people sign in and prove who they are", operations: SIGN_IN },
  {
    name: "Second factor",
    description: "Authenticator apps and recovery codes",
    operations: SECOND_FACTOR,
  },
  { name: "Passkeys", description: "Logging in without a password", operations: PASSKEYS },
  { name: "People", description: "Your own profile, and those of others", operations: PEOPLE },
  { name: "Account", description: "Your own account", operations: ACCOUNT },
  { name: "Tokens", description: "Programs that act for you, and products that use Foyer", operations: TOKENS },
  { name: "Uploads", description: "Photos and files", operations: UPLOADS },
  { name: "Service", description: "The service itself", operations: SERVICE },
];

/** Every operation of the API. */
export const OPERATIONS: Operations = Object.assign({}, ...SECTIONS.map(({ operations }) => operations));
