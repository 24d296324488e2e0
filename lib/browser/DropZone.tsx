import type { ComponentChildren, RefObject } from "preact";
import { FormId } from "../ui/FormId.tsx";

interface DropZoneProps {
  id?: string;
  action: string;
  /** Identifies the submission when the form is sent without JavaScript. */
  formId: string;
  input: RefObject<HTMLInputElement>;
  label: string;
  hint: string;
  accept?: string;
  multiple?: boolean;
  problem?: ComponentChildren;
  submitLabel: string;
  isBusy?: boolean;
  /** Shown before the field. */
  preview?: ComponentChildren;
  progress?: ComponentChildren;
  /** Shown after the submit button. */
  children?: ComponentChildren;
  onDropFiles(files: FileList): void;
  onChooseFiles?(files: FileList): void;
  onSubmit(event: SubmitEvent): void;
}

/** A form with one file field that also accepts dropped files. */
export function DropZone({ input, label, hint, problem, preview, progress, children, ...props }: DropZoneProps) {
  const isInvalid = problem !== undefined;
  return (
    <form
      id={props.id}
      class="drop"
      method="post"
      action={props.action}
      encType="multipart/form-data"
      onSubmit={(event) => {
        event.preventDefault();
        props.onSubmit(event);
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        if (event.dataTransfer?.files.length) props.onDropFiles(event.dataTransfer.files);
      }}
    >
      {preview}
      <div class="field">
        <label for="file">{label}</label>
        <p class="hint" id="file-hint">{hint}</p>
        <input
          ref={input}
          id="file"
          name="file"
          type="file"
          accept={props.accept}
          multiple={props.multiple}
          required
          aria-invalid={isInvalid ? "true" : undefined}
          aria-describedby={isInvalid ? "file-hint file-error" : "file-hint"}
          onChange={(event) => props.onChooseFiles?.(event.currentTarget.files!)}
        />
        {isInvalid && <p class="field-error" id="file-error" role="alert">{problem}</p>}
        {progress}
        <div class="actions">
          <FormId value={props.formId} />
          <button type="submit" aria-disabled={props.isBusy}>{props.submitLabel}</button>
          {children}
        </div>
      </div>
    </form>
  );
}
