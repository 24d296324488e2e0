/** Separates the ways to do one thing. */
export function Or({ text }: { text: string }) {
  return <p class="or">{text}</p>;
}
