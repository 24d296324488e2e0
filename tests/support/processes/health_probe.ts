import { coreWaitMsOf, type HealthAnswer, type ProbedApp } from "./process_probe.ts";

/**
 * Runs in a worker, whose thread is its own: the test's is often busy with what it sends to the app. Asks the app that
 * it is told for its health, again and again. Posts an empty list after the first answer, and all later answers once it
 * gets another message.
 */
const thread = globalThis as unknown as {
  onmessage: (message: MessageEvent<ProbedApp>) => void;
  postMessage(answers: HealthAnswer[]): void;
};
const PAUSE_MS = 5;

thread.onmessage = async ({ data: app }) => {
  let isOver = false;
  thread.onmessage = () => isOver = true;
  await askHealth(app); // opens the connection
  thread.postMessage([]);
  const answers: HealthAnswer[] = [];
  while (!isOver) {
    answers.push(await askHealth(app));
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  thread.postMessage(answers);
};

async function askHealth({ url, pid }: ProbedApp): Promise<HealthAnswer> {
  const [startedAt, waitedMs] = [performance.now(), coreWaitMsOf(pid)];
  const response = await fetch(`${url}/api/health`);
  await response.body?.cancel();
  if (!response.ok) throw new Error(`/api/health answered ${response.status}`);
  return { ms: performance.now() - startedAt, coreWaitMs: coreWaitMsOf(pid) - waitedMs };
}
