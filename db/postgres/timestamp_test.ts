import { deepStrictEqual, strictEqual } from "node:assert/strict";
import fc from "fast-check";
import pg from "pg";
import { parseTimestamp } from "./timestamp.ts";

const parseByDriver = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ);

const pad = (value: number, length: number) => String(value).padStart(length, "0");
const twoDigits = (min: number, max: number) => fc.integer({ min, max }).map((value) => pad(value, 2));
/** Without trailing zeros, as PostgreSQL writes it. */
const fraction = fc.integer({ min: 0, max: 999_999 }).map((micros) => `.${pad(micros, 6)}`.replace(/\.?0+$/, ""));

Deno.test("every usual timestamp is parsed as the driver parses it", () => {
  const parts = {
    year: fc.integer({ min: 100, max: 9_999 }).map((year) => pad(year, 4)),
    month: twoDigits(1, 12),
    day: twoDigits(1, 31),
    hour: twoDigits(0, 23),
    minute: twoDigits(0, 59),
    second: twoDigits(0, 59),
    fraction,
    offset: fc.oneof(fc.constant("+00"), fc.tuple(fc.constantFrom("+", "-"), twoDigits(0, 15)).map(([s, h]) => s + h)),
  };
  fc.assert(fc.property(fc.record(parts), (part) => {
    const date = `${part.year}-${part.month}-${part.day}`;
    const text = `${date} ${part.hour}:${part.minute}:${part.second}${part.fraction}${part.offset}`;
    deepStrictEqual(parseTimestamp(text), parseByDriver(text), text);
  }));
});

Deno.test("times of the years 100 to 9999 survive the round trip to the millisecond", () => {
  const noInvalidDate = true;
  const [min, max] = [new Date("0100-01-01T00:00:00Z"), new Date("9999-12-31T23:59:59.999Z")];
  fc.assert(fc.property(fc.date({ min, max, noInvalidDate }), (date) => {
    const text = date.toISOString().replace("T", " ").replace("Z", "+00");
    strictEqual(parseTimestamp(text)?.getTime(), date.getTime());
  }));
});

Deno.test("microseconds are dropped, not rounded", () => {
  for (const [text, milliseconds] of [[".9", 900], [".05", 50], [".123999", 123], [".999999", 999], [".000999", 0]]) {
    strictEqual(parseTimestamp(`2026-11-22 09:30:00${text}+00`)?.getMilliseconds(), milliseconds, `${text}`);
  }
});

Deno.test("rare timestamps are left to the driver", () => {
  const rare = [
    "infinity",
    "-infinity",
    "0044-03-15 12:00:00+00 BC",
    "0044-03-15 12:00:00+00",
    "12026-11-22 09:30:00+00",
    "2026-11-22 09:30:00.5+05:30",
    "2026-11-22 09:30:00-03:30",
    "1800-01-01 00:19:32+00:19:32",
    "2026-11-22",
    "Sun Nov 22 09:30:00 2026 +01",
    "",
  ];
  for (const text of rare) strictEqual(parseTimestamp(text), null, text);
});
