import type { ComponentChildren, RefObject } from "preact";
import { useEffect } from "preact/hooks";

interface DropZoneProps {
  /** The id of the form that sends the file, if it is not around the drop zone. */
  form?: string;
  input: RefObject<HTMLInputElement>;
  label: string;
  /** For the form without scripts. */
  hint: string;
  hintWithScripts: string;
  accept?: string;
  multiple?: boolean;
  required?: boolean;
  problem?: ComponentChildren;
  /** Shown before the field. */
  preview?: ComponentChildren;
  /** Shown after the field. */
  children?: ComponentChildren;
  /** Receives the files that someone has chosen or dropped. */
  onFiles(files: FileList): void;
}

/** A file field that also accepts files that are dropped anywhere on the page. */
export function DropZone(
  { input, label, hint, hintWithScripts, problem, preview, children, onFiles, ...props }: DropZoneProps,
) {
  const isInvalid = problem !== undefined;
  useFileDrop(onFiles);
  return (
    <div class="drop">
      {preview}
      <div class="field">
        <div class="picker">
          <label class="button secondary" for="file">{label}</label>
          <input
            {...props}
            ref={input}
            id="file"
            name="file"
            type="file"
            aria-invalid={isInvalid || undefined}
            aria-describedby={isInvalid ? "file-hint file-error" : "file-hint"}
            onChange={(event) => onFiles(event.currentTarget.files!)}
          />
        </div>
        <p class="hint" id="file-hint">
          <span class="without-scripts">{hint}</span>
          <span class="with-scripts">{hintWithScripts}</span>
        </p>
        {isInvalid && <p class="field-error" id="file-error" role="alert">{problem}</p>}
        {children}
      </div>
    </div>
  );
}

/** Receives files that are dropped anywhere on the page. Otherwise the browser opens a file that misses the field. */
function useFileDrop(onFiles: DropZoneProps["onFiles"]): void {
  useEffect(() => {
    document.ondragover = document.ondragleave = document.ondrop = (event) => {
      const { type, dataTransfer } = event;
      // Text may still be dragged into a field.
      if (!dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      // Between two elements, "dragleave" comes first: the page is not painted in between.
      document.body.classList.toggle("over", type === "dragover");
      if (type === "drop") onFiles(dataTransfer.files);
    };
  }, []);
}
