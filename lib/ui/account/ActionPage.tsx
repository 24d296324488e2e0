import type { ComponentChildren } from "preact";
import type { FieldErrors } from "../../texts/field_errors.ts";
import type { Texts } from "../../texts/texts.ts";
import { FormId } from "../form/FormId.tsx";
import { FormMessage } from "../form/FormMessage.tsx";
import { Page } from "../Page.tsx";
import { type MissingProof, ProofFields, proofLabels } from "./ProofFields.tsx";

interface ActionPageProps {
  title: string;
  /** Where the form is sent. */
  action: string;
  /** The state of the form. */
  data: { message?: string; details: FieldErrors; proof: MissingProof | null };
  submit: string;
  /** Whether the action takes something away. */
  isRemoval?: boolean;
  /** The link for people who change their minds. */
  cancel: { href: string; text: string };
  catalog: Pick<Texts, "frame" | "password" | "proof">;
  /** What the action does. */
  children: ComponentChildren;
}

/** A page with one button for an action that requires a recent proof. */
export function ActionPage({ title, action, data, submit, isRemoval, cancel, catalog, children }: ActionPageProps) {
  const { message, details, proof } = data;
  const { frame } = catalog;
  return (
    <Page title={title} windowTitle={message && frame.titleWithError({ title })}>
      {children}
      <form method="post" action={action} novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={proofLabels(catalog.proof)} />
        <ProofFields proof={proof} details={details} texts={catalog} />
        <div class="actions">
          <button class={isRemoval ? "danger last" : undefined} type="submit">{submit}</button>
          <a class="button secondary" href={cancel.href}>{cancel.text}</a>
        </div>
      </form>
    </Page>
  );
}
