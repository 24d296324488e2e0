import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { createDatabaseTurn } from "./database_turn.ts";

const REPORT = { report: { text: "from the service", value: null } };

Deno.test("a command that waits for the database says so once, and gives up with a sentence", async () => {
  const said: string[] = [];
  const turn = createDatabaseTurn({
    ask: () => Promise.resolve(null),
    say: (text) => void said.push(text),
    patienceMs: 200,
    noticeMs: 0,
  });
  let waits = 1;
  while (await turn.wait("process 17")) waits++;
  ok(waits > 1);
  strictEqual(said.length, 1, "said once");
  match(said[0], /^Waiting for process 17, /);
  match(JSON.stringify(turn.outcome()), /failure.*Gave up after .*: process 17 still has/);
});

Deno.test("a command that waits for the database takes the answer of a service that has started meanwhile", async () => {
  const answers = [null, REPORT];
  const turn = createDatabaseTurn({
    ask: () => Promise.resolve(answers.shift() ?? null),
    say: (text) => ok(false, text),
  });
  deepStrictEqual([await turn.wait("process 17"), turn.outcome()], [true, undefined]);
  deepStrictEqual([await turn.wait("process 17"), turn.outcome()], [false, REPORT]);
});
