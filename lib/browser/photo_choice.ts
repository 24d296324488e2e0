import { type Signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** The photo that someone has chosen, dropped or pasted but not uploaded yet. */
export interface PhotoChoice {
  /** Always shows the file that would be uploaded, whether it was chosen, dropped or pasted. */
  input: RefObject<HTMLInputElement>;
  file: Signal<File | null>;
  /** The file as a data URL. */
  preview: Signal<string | null>;
  choose(files: FileList): void;
  clear(): void;
}

/**
 * Manages the choice of a photo.
 *
 * @param options.accepts decides on each file that someone has chosen. A file that it rejects clears the choice.
 * @param options.isLocked whether the choice must stay as it is.
 */
export function usePhotoChoice(options: { accepts(file: File | null): boolean; isLocked(): boolean }): PhotoChoice {
  const input = useRef<HTMLInputElement>(null);
  const file = useSignal<File | null>(null);
  const preview = useSignal<string | null>(null);

  const set = (chosen: File | null) => {
    file.value = chosen;
    preview.value = null;
    if (chosen) showPreview(chosen);
    showInField();
  };
  const showPreview = (chosen: File) => {
    const reader = new FileReader();
    reader.onload = () => {
      if (file.peek() === chosen) preview.value = String(reader.result);
    };
    reader.readAsDataURL(chosen);
  };
  const showInField = () => {
    const transfer = new DataTransfer();
    if (file.value) transfer.items.add(file.value);
    input.current!.files = transfer.files;
  };
  const choose = (files: FileList) => {
    const chosen = files.item(0);
    if (options.isLocked()) showInField();
    else set(options.accepts(chosen) ? chosen : null);
  };

  useEffect(() => {
    // Someone may have chosen a photo before hydration.
    if (input.current!.files!.length > 0) choose(input.current!.files!);
    const paste = ({ clipboardData, target }: ClipboardEvent) => {
      if (!clipboardData?.files.length) return;
      if (!isPastedText(clipboardData, target)) choose(clipboardData.files);
    };
    addEventListener("paste", paste);
    return () => removeEventListener("paste", paste);
  }, []);

  return { input, file, preview, choose, clear: () => set(null) };
}

/** Word processors and spreadsheets copy text together with an image of it. */
function isPastedText({ types }: DataTransfer, target: EventTarget | null): boolean {
  return types.includes("text/plain") && target instanceof Element &&
    target.matches("input:not([type=file]), textarea");
}
