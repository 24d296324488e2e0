import { deepStrictEqual } from "node:assert/strict";
import type { Values } from "./families.ts";
import { IsolateSum } from "./isolate_sum.ts";

/** An isolate that has sent emails, and has some images waiting. */
const isolate = (number: number, emails: number, { id = "a", waiting = 0 } = {}) => ({
  isolate: number,
  id: `${number}${id}`,
  values: { emails: { sent: [emails] }, conversionsWaiting: { "": [waiting] } } satisfies Values,
});
const totals = ({ emails, conversionsWaiting }: Values) => [emails?.sent[0], conversionsWaiting?.[""][0]];

Deno.test("the values of isolates with the same labels are added up, and others kept", () => {
  const first = { isolate: 1, id: "a", values: { eventLoopDelay: { "": [1, 0, 0.5] }, emails: { sent: [1] } } };
  const second = { isolate: 2, id: "b", values: { eventLoopDelay: { "": [2, 3, 0.25] }, emails: { failed: [4] } } };
  deepStrictEqual(new IsolateSum().add([first, second]), {
    eventLoopDelay: { "": [3, 3, 0.75] },
    emails: { sent: [1], failed: [4] },
  });
});

Deno.test("counters keep what an isolate had counted that does not answer, gauges do not", () => {
  const sum = new IsolateSum();
  deepStrictEqual(totals(sum.add([isolate(1, 5, { waiting: 1 }), isolate(2, 7, { waiting: 2 })])), [12, 3]);
  deepStrictEqual(totals(sum.add([isolate(1, 6, { waiting: 1 })])), [13, 1]);
  deepStrictEqual(totals(sum.add([isolate(1, 6), isolate(2, 9)])), [15, 0]);
});

Deno.test("counters do not decrease when an isolate is replaced, again and again", () => {
  const sum = new IsolateSum();
  deepStrictEqual(totals(sum.add([isolate(1, 5), isolate(2, 7, { waiting: 2 })])), [12, 2]);
  deepStrictEqual(totals(sum.add([isolate(1, 5), isolate(2, 1, { id: "b" })])), [13, 0]);
  deepStrictEqual(totals(sum.add([isolate(1, 5)])), [13, 0]);
  deepStrictEqual(totals(sum.add([isolate(1, 5), isolate(2, 0, { id: "c", waiting: 4 })])), [13, 4]);
});
