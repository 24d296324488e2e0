import { formatMoment, formatTime } from "../../texts/date_format.ts";
import { Isolated } from "../Isolated.tsx";

interface MomentProps {
  date: Date;
  /** Whether a heading above says which day it is. */
  isShort?: boolean;
  locale: string;
}

/** A day and time, in UTC, because the server does not know the reader's time zone. */
export function Moment({ date, isShort, locale }: MomentProps) {
  return (
    <time datetime={date.toISOString()} data-short={isShort ? "" : undefined}>
      {isShort ? formatTime(date, locale) : formatMoment(date, locale)} UTC
    </time>
  );
}

interface OriginProps extends MomentProps {
  /** What happened, or on which device. */
  label?: string;
  /** Null if it is not known. */
  address: string | null;
}

/** Separates facts about one thing. It never starts a line. */
export const DOT = "\u00a0· ";

/** When and where something happened. */
export function Origin({ label, address, ...moment }: OriginProps) {
  return (
    <p class="meta">
      {label !== undefined && label + DOT}
      {address !== null && (
        <>
          <Isolated isLtr>{address}</Isolated>
          {DOT}
        </>
      )}
      <Moment {...moment} />
    </p>
  );
}
