import type { ComponentChildren } from "preact";
import type { ErrorDetails } from "../../errors.ts";
import type { Words } from "../../words/words.ts";
import { FormId } from "../form/FormId.tsx";
import { FormMessage } from "../form/FormMessage.tsx";
import { Page } from "../Page.tsx";
import { type MissingProof, ProofFields, proofLabels } from "./ProofFields.tsx";

interface ActionPageProps {
  title: string;
  /** Where the form is sent. */
  action: string;
  /** The state of the form. */
  data: { message?: string; details: ErrorDetails; proof: MissingProof | null };
  submit: string;
  /** Whether the action takes something away. */
  isRemoval?: boolean;
  /** The link for people who change their minds. */
  cancel: { href: string; text: string };
  words: Pick<Words, "frame" | "proof">;
  /** What the action does. */
  children: ComponentChildren;
}

/** A page with one button for an action that requires a recent proof. */
export function ActionPage({ title, action, data, submit, isRemoval, cancel, words, children }: ActionPageProps) {
  const { message, details, proof } = data;
  return (
    <Page title={title} windowTitle={message && words.frame.titleWithError(title)} isNarrow>
      {children}
      <form method="post" action={action} novalidate>
        <FormId />
        <FormMessage message={message} details={details} labels={proofLabels(words.proof)} />
        <ProofFields proof={proof} details={details} words={words.proof} />
        <button class={isRemoval ? "danger" : undefined} type="submit">{submit}</button>
      </form>
      <p>
        <a href={cancel.href}>{cancel.text}</a>
      </p>
    </Page>
  );
}
