interface ProgressProps {
  label: string;
  /** From 0 to 1. */
  share: number;
}

/** A progress bar with its percentage. */
export function Progress({ label, share }: ProgressProps) {
  const percent = Math.round(share * 100);
  return (
    <div class="progress">
      <progress aria-label={label} max={100} value={percent} />
      <span aria-hidden="true">{percent}%</span>
    </div>
  );
}
