/** How far something has come, from 0 to 1. */
export function Progress({ label, share }: { label: string; share: number }) {
  const percent = Math.round(share * 100);
  return (
    <div class="progress">
      <progress aria-label={label} max={100} value={percent} />
      <span aria-hidden="true">{percent} %</span>
    </div>
  );
}
