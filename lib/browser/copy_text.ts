import { type Signal, useSignal } from "@preact/signals";
import { type RefObject } from "preact";
import { useRef } from "preact/hooks";

/** What people read after they copy something. */
export interface CopyTexts {
  copied: string;
  copyFailed: string;
}

/**
 * Copies the list, the link or the code inside an element. If the browser refuses, selects it, so that people can copy it
 * themselves.
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
      getSelection()!.selectAllChildren(target);
      status.value = texts.copyFailed;
    }
  };
  return { element, status, copy };
}
