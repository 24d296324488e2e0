import { type Signal, useSignal } from "@preact/signals";
import { type RefObject } from "preact";
import { useRef } from "preact/hooks";
import type { Words } from "../words/words.ts";

/** Copies the link inside an element. If the browser refuses, selects the link, so that people can copy it themselves. */
export function useCopyLink(
  words: Words["uploads"],
): { element: RefObject<HTMLDivElement>; status: Signal<string>; copy(): Promise<void> } {
  const element = useRef<HTMLDivElement>(null);
  const status = useSignal("");
  const copy = async () => {
    const link = element.current!.querySelector("a")!;
    try {
      await navigator.clipboard.writeText(link.href);
      status.value = words.copied;
    } catch {
      getSelection()!.selectAllChildren(link);
      status.value = words.copyFailed;
    }
  };
  return { element, status, copy };
}
