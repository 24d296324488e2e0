import { numberFormat } from "../../../lib/texts/formats.ts";

const WIDTH = 120;
const HEIGHT = 28;
const STEP = WIDTH / 14;

/** A bar for each day, the oldest first. Screen readers read the numbers. */
export function Sparkline({ numbers, locale }: { numbers: number[]; locale: string }) {
  const most = Math.max(...numbers, 1);
  const bars = numbers.map((number, index) => {
    const height = Math.round(HEIGHT * number / most);
    return `M${Math.round(index * STEP)} ${HEIGHT}v-${height}h6v${height}z`;
  });
  const label = numbers.map((number) => numberFormat(locale).format(number)).join(", ");
  return (
    <svg class="sparkline" role="img" aria-label={label} viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
      <path d={bars.join("")} />
    </svg>
  );
}
