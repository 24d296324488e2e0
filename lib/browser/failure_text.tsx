import type { ComponentChild, ComponentChildren } from "preact";
import type { Texts } from "../texts/texts.ts";
import type { FailureCode, Reply } from "./send.ts";

/** Texts for error codes that have a special meaning in one place. */
export type FailureTexts = Partial<Record<FailureCode, string>>;

/**
 * Says why a request failed and what to do. The API's own messages are for developers, so they are not shown. Returns
 * undefined while the browser is offline: the page says so until the connection is back.
 */
export function failureText(
  { network }: Pick<Texts, "network">,
  { code, retryAfterSeconds }: Pick<Reply, "code" | "retryAfterSeconds">,
  specialTexts: FailureTexts = {},
): ComponentChildren {
  if (code === undefined) return network.failed;
  if (code === "NO_RESPONSE" && !navigator.onLine) return undefined;
  if (code === "UNAUTHENTICATED") return <LogInAgain texts={network} />;
  if (code === "RATE_LIMITED") return network.rateLimited({ minutes: Math.max(1, Math.ceil(retryAfterSeconds / 60)) });
  const failureTexts: FailureTexts = {
    NO_RESPONSE: network.noResponse,
    UNAVAILABLE: network.unavailable,
    ...specialTexts,
  };
  return failureTexts[code] ?? network.failed;
}

/** A new tab, so that this page keeps what people have entered. */
function LogInAgain({ texts }: { texts: Texts["network"] }) {
  return texts.loggedOut<ComponentChild>({ login: (children) => <a href="/login" target="_blank">{children}</a> });
}
