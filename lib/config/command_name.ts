/** The name of the package at npm, and of the command that it installs. */
export const PACKAGE = "foyer-server";

/** Whether this is the package, which npm has installed. Only the package has compiled JavaScript. */
export const IS_PACKAGE: boolean = import.meta.url.endsWith(".js");

/** What a script writes before the words of a command: the task would print itself. */
export const QUIET_COMMAND: string = IS_PACKAGE ? `npx ${PACKAGE}` : "deno task --quiet foyer";

/** What a person types before the words of a command, such as `users list`. */
export const COMMAND: string = QUIET_COMMAND.replace(" --quiet", "");
