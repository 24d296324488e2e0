import { type Signal, useSignal } from "@preact/signals";
import { type RefObject } from "preact";
import { useRef } from "preact/hooks";

/** What people read after they copy something. */
export interface CopyTexts {
  copied: string;
  copyFailed: string;
}

/**
 * Copies the list, the link or the code inside an element. If the browser refuses, selects a list or code, so that
 * people can copy it themselves. The text of a link is not its address.
 */
export function useCopy(
  texts: CopyTexts,
): { element: RefObject<HTMLDivElement>; status: Signal<string>; copy(): Promise<void> } {
  const element = useRef<HTMLDivElement>(null);
  const status = useSignal("");
  const copy = async () => {
    const target = element.current!.querySelector<HTMLElement>("ol, a, code")!;
    try {
      await navigator.clipboard.writeText(target instanceof HTMLAnchorElement ? target.href : target.innerText);
      status.value = texts.copied;
    } catch {
      if (!(target instanceof HTMLAnchorElement)) getSelection()!.selectAllChildren(target);
      status.value = texts.copyFailed;
    }
  };
  return { element, status, copy };
}
