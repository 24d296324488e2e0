const ANSWER_MAX_LENGTH = 200;
const LINK = /https?:\/\/[^\s"'<>\\]+/gi;
/** The codes in emails have eight digits, in the subject in groups of four. Those of authenticator apps have six. */
const CODE = /\b(?:[0-9]{4}[ -]?[0-9]{4}|[0-9]{6})\b/g;

/** What an answer must not show besides links and codes. */
export interface AnswerSecrets {
  /** The recipient. */
  to: string;
  token?: string;
}

/** Shortens an answer, which may quote the email: its link, its code, its recipient. */
export function safeAnswer(text: string, { to, token }: AnswerSecrets): string | undefined {
  const withoutToken = token === undefined ? text : text.replaceAll(token, "[token]");
  const safe = withoutToken.replaceAll(to, "[recipient]").replaceAll(LINK, "[link]").replaceAll(CODE, "[code]");
  return safe.slice(0, ANSWER_MAX_LENGTH).toWellFormed() || undefined;
}
