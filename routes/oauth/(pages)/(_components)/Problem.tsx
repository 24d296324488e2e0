/** What is wrong, for the developers of an app: in English. */
export function Problem({ text }: { text: string | null }) {
  return text !== null && (
    <p class="hint" dir="ltr" lang="en">
      {text}
    </p>
  );
}
