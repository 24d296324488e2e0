import { coreWaitMsOf, type HealthAnswer, type ProbedApp } from "./process_probe.ts";

/**
 * Runs in a worker, because the test's own thread is often busy with sending to the app. The first message names the
 * app, which it then asks for its health again and again. It posts an empty list after the first answer, and all later
 * answers when it gets a second message.
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
