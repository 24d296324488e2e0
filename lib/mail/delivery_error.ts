/** The options of a {@linkcode DeliveryError}. */
export interface DeliveryErrorOptions extends ErrorOptions {
  /** How long to wait before the next attempt, if the delivery service says so. */
  retryAfterSeconds?: number;
  /** Whether another attempt is useless, because the recipient does not exist. */
  isFinal?: boolean;
  /** What the delivery service said, safe to log. */
  answer?: string;
}

/**
 * A failed delivery of an email. It is retried, even if the service rejects the request: no email may be lost because of
 * a mistyped token or a sender that is not confirmed yet. Only a recipient that a mail server refuses for good is final.
 */
export class DeliveryError extends Error {
  override name = "DeliveryError";
  readonly retryAfterSeconds: number;
  readonly isFinal: boolean;
  readonly answer?: string;

  constructor(
    message: string,
    { retryAfterSeconds = 0, isFinal = false, answer, ...options }: DeliveryErrorOptions = {},
  ) {
    super(message, options);
    this.retryAfterSeconds = retryAfterSeconds;
    this.isFinal = isFinal;
    this.answer = answer;
  }
}

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
