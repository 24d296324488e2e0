/** Describes the button or link that has the tag: `aria-describedby` of that element. */
export const LAST_USED_ID = "last-used";

/**
 * A tag on the button, or after the link, of the way to log in that was used last. It is not part of the button's name.
 */
export function LastUsed({ text }: { text: string }) {
  return <span id={LAST_USED_ID} class="tag" aria-hidden="true">{text}</span>;
}
