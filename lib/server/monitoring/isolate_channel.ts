import { SECOND_MS } from "../../duration.ts";
import type { Values } from "../../metrics/families.ts";
import { IsolateSum, type IsolateValues } from "../../metrics/isolate_sum.ts";

/** A scrape reaches one isolate of the process, which asks the others here. */
const CHANNEL = "foyer metrics";
/** An isolate that takes longer is left out. What it had counted before is not. */
const ANSWER_MS = SECOND_MS / 2;

interface Question {
  question: number;
}

interface Answer extends Question {
  answer: IsolateValues;
}

/** Answers the questions of the first isolate. */
export function answerFirstIsolate(isolate: number, read: () => Values): Disposable {
  const id = crypto.randomUUID();
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener("message", ({ data }: MessageEvent<Question | Answer>) => {
    if (!("answer" in data)) channel.postMessage({ ...data, answer: { isolate, id, values: read() } } satisfies Answer);
  });
  return { [Symbol.dispose]: () => channel.close() };
}

/** Adds up the values of the isolates. */
export interface Collector extends Disposable {
  collect(): Promise<Values>;
}

/**
 * Creates the collector of the first isolate.
 *
 * @param others how many other isolates there are.
 * @param read returns the values of this isolate.
 */
export function createCollector(others: number, read: () => Values): Collector {
  const sum = new IsolateSum();
  const channel = new BroadcastChannel(CHANNEL);
  let question = 0;
  async function ask(): Promise<IsolateValues[]> {
    if (others === 0) return [];
    const answers: IsolateValues[] = [];
    const asked = ++question;
    const complete = Promise.withResolvers<void>();
    const timer = setTimeout(complete.resolve, ANSWER_MS);
    const receive = ({ data }: MessageEvent<Answer>) => {
      if (data.question === asked && answers.push(data.answer) === others) complete.resolve();
    };
    channel.addEventListener("message", receive);
    channel.postMessage({ question: asked } satisfies Question);
    await complete.promise;
    clearTimeout(timer);
    channel.removeEventListener("message", receive);
    return answers;
  }
  return {
    collect: async () => sum.add([...await ask(), { isolate: 1, id: "first", values: read() }]),
    [Symbol.dispose]: () => channel.close(),
  };
}
