import type { ComponentChildren } from "preact";
import { asset } from "fresh/runtime";
import { Or } from "../form/Or.tsx";
import { LAST_USED_ID, LastUsed } from "./LastUsed.tsx";

/** Where passkeys work. */
export interface PasskeyPlace {
  /** The domain of the passkeys. */
  rpId: string;
  /**
   * This page at a host name, if it may have been opened at the IP address of a developer's machine; otherwise null.
   */
  elsewhere: { href: string; text: string; link: string } | null;
  /** Why they work on no page of this site, if so. */
  nowhere?: string;
}

interface PasskeyPartProps {
  place: PasskeyPlace;
  /** What only browsers with passkeys show. */
  children: ComponentChildren;
  /** The text for browsers without passkeys. Without it, they show nothing. */
  missing?: string;
  /** The text for browsers without scripts. */
  noScripts?: string;
  /** What the script asks the browser for. */
  request?: Record<`data-${string}`, string | undefined>;
}

/**
 * A part of a page that scripts show where passkeys work. Elsewhere, it says where they do. The style sheet reserves
 * its place, so that nothing moves when the scripts have loaded.
 */
export function PasskeyPart(
  { place: { rpId, elsewhere, nowhere }, children, missing, noScripts, request }: PasskeyPartProps,
) {
  if (nowhere !== undefined) return missing === undefined ? null : <p>{nowhere}</p>;
  return (
    <div class="passkey" data-rp-id={rpId} {...request}>
      <div data-when="ready">{children}</div>
      {missing !== undefined && <p data-when="missing" hidden>{missing}</p>}
      {elsewhere !== null && (
        <p class="hint" data-when="elsewhere" hidden>
          {elsewhere.text} <a href={elsewhere.href}>{elsewhere.link}</a>
        </p>
      )}
      {noScripts !== undefined && (
        <noscript>
          <p>{noScripts}</p>
        </noscript>
      )}
      <script defer src={asset("/passkeys.js")} />
    </div>
  );
}

interface PasskeyRequestProps extends Omit<PasskeyPartProps, "children" | "request"> {
  kind: "create" | "get";
  /** The name of the field for the credential. The form around this part is submitted with it. */
  name: string;
  label: string;
  /** The text of the tag that marks it as used last. */
  lastUsed?: string;
  /** The word between the button and other ways below it, which is shown with the button. */
  or?: string;
  /** Whether the browser offers passkeys beside the addresses that it fills in. */
  hasAutofill?: boolean;
  isSecondary?: boolean;
  /** Whether the form has no other button. The Enter key then presses this one. */
  isSubmitButton?: boolean;
  problems: { canceled: string; failed: string; exists?: string };
}

/** A button that creates or uses a passkey, and then submits its form. */
export function PasskeyRequest(
  { kind, name, label, lastUsed, or, hasAutofill, isSecondary, isSubmitButton, problems, ...part }: PasskeyRequestProps,
) {
  const request = {
    "data-kind": kind,
    "data-options": kind === "create" ? "/api/passkeys/options" : "/auth/passkey/options",
    "data-autofill": hasAutofill ? "true" : undefined,
    // The names of the browser's errors. Source: WebAuthn Level 3, 5.1.
    "data-notallowederror": problems.canceled,
    "data-invalidstateerror": problems.exists,
    "data-failed": problems.failed,
  };
  return (
    <PasskeyPart {...part} request={request}>
      <input type="hidden" name={name} />
      <button
        id={name}
        class={isSecondary ? "secondary" : undefined}
        type={isSubmitButton ? "submit" : "button"}
        aria-describedby={lastUsed === undefined ? undefined : LAST_USED_ID}
      >
        {label}
        {lastUsed !== undefined && <LastUsed text={lastUsed} />}
      </button>
      <p class="field-error"></p>
      {or !== undefined && <Or text={or} />}
    </PasskeyPart>
  );
}
