/** Load by wrk: one thread of C, so that it takes the least of the cores. */
export interface Load {
  url: string;
  connections: number;
  seconds: number;
  headers?: Record<string, string>;
  /** A Lua script that makes the requests. */
  script?: string;
}

export interface LoadResult {
  requestsPerSecond: number;
  requests: number;
  p50Ms: number;
  p99Ms: number;
}

/** @throws {Error} when a request failed: a server that refuses is fast. */
export async function load({ url, connections, seconds, headers = {}, script }: Load): Promise<LoadResult> {
  const args = ["-t1", `-c${connections}`, `-d${seconds}s`, "--latency", "--timeout", "10s"];
  for (const [name, value] of Object.entries(headers)) args.push("-H", `${name}: ${value}`);
  if (script !== undefined) args.push("-s", script);
  const { stdout } = await new Deno.Command("wrk", { args: [...args, url] }).output();
  const text = new TextDecoder().decode(stdout);
  if (/Non-2xx|Socket errors/.test(text) || !/Requests\/sec/.test(text)) throw new Error(`${url}:\n${text}`);
  return {
    requestsPerSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)![1]),
    requests: Number(/(\d+) requests in/.exec(text)![1]),
    p50Ms: percentile(text, 50),
    p99Ms: percentile(text, 99),
  };
}

function percentile(text: string, of: number): number {
  const [, value, unit] = new RegExp(`${of}%\\s+([\\d.]+)(us|ms|s|m)`).exec(text)!;
  return Number(value) * { us: 0.001, ms: 1, s: 1000, m: 60_000 }[unit]!;
}
