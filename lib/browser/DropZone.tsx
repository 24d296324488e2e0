import type { ComponentChildren, RefObject } from "preact";

interface DropZoneProps {
  /** The id of the form that sends the file, if it is not around the drop zone. */
  form?: string;
  input: RefObject<HTMLInputElement>;
  label: string;
  hint: string;
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

/** A file field that also accepts dropped files. */
export function DropZone({ input, label, hint, problem, preview, children, onFiles, ...props }: DropZoneProps) {
  const isInvalid = problem !== undefined;
  return (
    <div
      class="drop"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        if (event.dataTransfer?.files.length) onFiles(event.dataTransfer.files);
      }}
    >
      {preview}
      <div class="field">
        <label for="file">{label}</label>
        <p class="hint" id="file-hint">{hint}</p>
        <input
          {...props}
          ref={input}
          id="file"
          name="file"
          type="file"
          aria-invalid={isInvalid ? "true" : undefined}
          aria-describedby={isInvalid ? "file-hint file-error" : "file-hint"}
          onChange={(event) => onFiles(event.currentTarget.files!)}
        />
        {isInvalid && <p class="field-error" id="file-error" role="alert">{problem}</p>}
        {children}
      </div>
    </div>
  );
}
