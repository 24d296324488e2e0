import { strictEqual } from "node:assert/strict";
import { renderToString } from "preact-render-to-string";
import { textsIn } from "../texts/texts.ts";
import { failureText, type FailureTexts } from "./failure_text.tsx";
import type { Reply } from "./send.ts";
import { ENGLISH } from "../texts/languages.ts";

const REPLY: Reply = { isOk: false, isRetryable: true, refusedFields: [], retryAfterSeconds: 0, body: {}, etag: "" };

function shownFor(reply: Partial<Reply>, specialTexts?: FailureTexts): string {
  return renderToString(<p>{failureText(textsIn(ENGLISH), { ...REPLY, ...reply }, specialTexts)}</p>);
}

/** Makes the browser say whether it is online. Deno does not say it. */
function setOnline(onLine: boolean): void {
  Object.defineProperty(navigator, "onLine", { value: onLine, configurable: true });
}
setOnline(true);

Deno.test("a failed request is explained by its error code", () => {
  const cases: [reply: Partial<Reply>, text: string][] = [
    [{ code: "NO_RESPONSE" }, "The server isn’t responding. Nothing is lost. Try again."],
    [{ code: "UNAVAILABLE" }, "The server is busy. Try again shortly."],
    [{ code: "RATE_LIMITED", retryAfterSeconds: 0 }, "Too many attempts. Try again in a minute."],
    [{ code: "RATE_LIMITED", retryAfterSeconds: 60 }, "Too many attempts. Try again in a minute."],
    [{ code: "RATE_LIMITED", retryAfterSeconds: 61 }, "Too many attempts. Try again in 2 minutes."],
    [{ code: "INTERNAL" }, "Something went wrong. Try again."],
    [{ code: undefined }, "Something went wrong. Try again."],
  ];
  for (const [reply, text] of cases) strictEqual(shownFor(reply), `<p>${text}</p>`);
});

Deno.test("a request without a response is not explained while the browser is offline, as the page says so", () => {
  setOnline(false);
  strictEqual(shownFor({ code: "NO_RESPONSE" }), "<p></p>");
  strictEqual(shownFor({ code: "UNAVAILABLE" }), "<p>The server is busy. Try again shortly.</p>");
  setOnline(true);
});

Deno.test("a special text replaces the usual one", () => {
  strictEqual(shownFor({ code: "PAYLOAD_TOO_LARGE" }, { PAYLOAD_TOO_LARGE: "Too large" }), "<p>Too large</p>");
});

Deno.test("without a session, the login opens in a new tab", () => {
  strictEqual(
    shownFor({ code: "UNAUTHENTICATED" }),
    '<p>You’ve been logged out. <a href="/login" target="_blank">Log in again in a new tab</a>, then try again here.</p>',
  );
});
