import { deepEqual, deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { Duplex } from "node:stream";
import pg from "pg";
import { databaseUrlProblem, driverUrl } from "../../lib/config/database_url.ts";
import { closeAtOnce, CONNECT_TIMEOUT_MESSAGE, inOneWrite, setConnectTimeout } from "./driver.ts";

type Chunks = { chunk: Buffer }[];

/** Stands for the socket to a server. Records what the driver writes, and answers only what the test sends. */
class FakeSocket extends Duplex {
  /** The messages of each write, one letter for each message. */
  readonly writes: string[] = [];
  /** Everything written, to search for names and texts. */
  written = "";

  connect(): this {
    queueMicrotask(() => this.emit("connect"));
    return this;
  }

  setNoDelay(): void {}
  setKeepAlive(): void {}
  ref(): void {}
  unref(): void {}

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this._writev([{ chunk }], done);
  }

  override _writev(chunks: Chunks, done: () => void): void {
    const bytes = Buffer.concat(chunks.map(({ chunk }) => chunk));
    const isStartup = this.written === "";
    this.written += bytes.toString("latin1");
    if (isStartup) this.answer(message("R", int32(0)), READY);
    else this.writes.push(kindsOf(bytes));
    done();
  }

  answer(...messages: Buffer[]): void {
    this.push(Buffer.concat(messages));
  }
}

const int16 = (value: number) => Buffer.from([value >> 8, value & 255]);
const int32 = (value: number) => Buffer.concat([int16(value >> 16), int16(value & 65_535)]);
const text = (value: string) => Buffer.from(`${value}\0`);

/** Source: PostgreSQL, Message Formats. */
function message(kind: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(kind), int32(body.length + 4), body]);
}

function kindsOf(bytes: Buffer): string {
  let kinds = "";
  for (let at = 0; at < bytes.length; at += 1 + bytes.readInt32BE(at + 1)) kinds += String.fromCharCode(bytes[at]);
  return kinds;
}

const READY = message("Z", Buffer.from("I"));
const READY_IN_TRANSACTION = message("Z", Buffer.from("T"));
const PARSED = message("1");
const BOUND = message("2");
const COLUMN = message("T", int16(1), text("n"), int32(0), int16(0), int32(23), int16(4), int32(-1), int16(0));
const FAILED = message("E", text("SERROR"), text("C22012"), text("Mdivision by zero"), Buffer.from([0]));

/** The response to a query that selects one number. */
function oneRow(value: number): Buffer[] {
  const cell = Buffer.from(String(value));
  return [BOUND, COLUMN, message("D", int16(1), int32(cell.length), cell), message("C", text("SELECT 1")), READY];
}

interface Connected {
  client: pg.Client;
  socket: FakeSocket;
}

/** Connects a client in pipeline mode, as the pool does. */
async function connect(): Promise<Connected> {
  const socket = new FakeSocket();
  const client = new pg.Client({ stream: () => socket, pipeline: true });
  client.on("error", () => {});
  await client.connect();
  return { client, socket };
}

interface Outcome {
  error: unknown;
  rows?: unknown[];
}

/** Sends a statement. Resolves with the arguments of its callback. */
function send(client: pg.Client, value: number, name?: string): Promise<Outcome> {
  return new Promise((resolve) => {
    const callback = (error: unknown, result?: pg.QueryResult) => resolve({ error, rows: result?.rows });
    client.query({ text: "select $1::int as n", values: [value], name }, callback);
  });
}

Deno.test("the fields that the pool uses exist and can be set", async () => {
  const { client } = await connect();
  deepStrictEqual(Object.getOwnPropertyDescriptor(client, "pipeline"), {
    value: true,
    writable: true,
    enumerable: true,
    configurable: true,
  });
  ok(client.connection.stream instanceof FakeSocket);
  const pool = new pg.Pool({ connectionTimeoutMillis: 1 });
  strictEqual(Object.getOwnPropertyDescriptor(pool.options, "connectionTimeoutMillis")?.writable, true);
  const socket = new pg.Client().connection.stream;
  deepStrictEqual([typeof socket.cork, typeof socket.uncork], ["function", "function"]);
});

Deno.test("a named statement is parsed once", async () => {
  const { client, socket } = await connect();
  const first = send(client, 1, "by-name");
  socket.answer(PARSED, ...oneRow(1));
  deepStrictEqual(await first, { error: null, rows: [{ n: 1 }] });
  const second = send(client, 2, "by-name");
  socket.answer(...oneRow(2));
  deepStrictEqual(await second, { error: null, rows: [{ n: 2 }] });
  deepStrictEqual(socket.writes, ["PBDES", "BDES"]);
  match(socket.written, /by-name\0select \$1::int as n\0/);
});

Deno.test("a statement without a name is parsed each time, and its callback gets the error of the server", async () => {
  const { client, socket } = await connect();
  const failing = send(client, 0);
  socket.answer(PARSED, BOUND, FAILED, READY);
  const { error, rows } = await failing;
  deepStrictEqual([(error as { code: string }).code, rows], ["22012", undefined]);
  const next = send(client, 1);
  socket.answer(PARSED, ...oneRow(1));
  await next;
  deepStrictEqual(socket.writes, ["PBDES", "PBDES"]);
});

Deno.test("statements that are sent in one write do not wait for each other, and each gets its response", async () => {
  const { client, socket } = await connect();
  const both = inOneWrite(client, () => Promise.all([send(client, 1), send(client, 2)]));
  deepStrictEqual(socket.writes, ["PBDESPBDES"]);
  socket.answer(PARSED, ...oneRow(1), PARSED, ...oneRow(2));
  deepStrictEqual((await both).map(({ rows }) => rows), [[{ n: 1 }], [{ n: 2 }]]);
});

Deno.test("what was sent before an error in one write is written", async () => {
  const { client, socket } = await connect();
  const fail = () => {
    void send(client, 1);
    throw new Error("cannot send");
  };
  await rejects(async () => await inOneWrite(client, fail), /cannot send/);
  deepStrictEqual(socket.writes, ["PBDES"]);
});

Deno.test("a connection that is closed at once fails its unanswered statements, and does not wait for the server", async () => {
  const { client, socket } = await connect();
  const unanswered = [send(client, 1), send(client, 2)];
  closeAtOnce(client);
  for (const { error } of await Promise.all(unanswered)) match(String(error), /Connection terminated/);
  strictEqual(socket.destroyed, true);
});

Deno.test("the client knows whether it is in a transaction", async () => {
  const { client, socket } = await connect();
  strictEqual(client.getTransactionStatus(), "I");
  const began = send(client, 1);
  socket.answer(PARSED, ...oneRow(1).slice(0, -1), READY_IN_TRANSACTION);
  await began;
  strictEqual(client.getTransactionStatus(), "T");
});

Deno.test("the time to wait for a connection applies to the next caller", async () => {
  const keepAlive = setTimeout(() => {}, 5_000); // the timers of the pool would not keep the test running
  const pool = new pg.Pool({ max: 1, Client: FakeClient });
  const client = await pool.connect();
  setConnectTimeout(pool, 1);
  await rejects(pool.connect(), { message: CONNECT_TIMEOUT_MESSAGE });
  setConnectTimeout(pool, 0);
  const waiting = pool.connect();
  setConnectTimeout(pool, 1); // for the callers after it
  await rejects(pool.connect(), { message: CONNECT_TIMEOUT_MESSAGE });
  client.release();
  strictEqual(await waiting, client);
  client.release();
  await pool.end();
  clearTimeout(keepAlive);
});

class FakeClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, stream: () => new FakeSocket() });
  }
}

/** What the driver has read from a URL. */
interface Parameters {
  connectionParameters: Record<string, unknown>;
}

Deno.test("the forms of URLs that PostgreSQL's programs take are accepted, and reach the driver", () => {
  const cases: [url: string, expected: Record<string, unknown>][] = [
    ["postgresql://foyer:p%40ss%2Fw%23rd@db:5433/foyer", { password: "p@ss/w#rd", host: "db", port: 5433 }],
    ["postgres://foyer:p@ss@db/foyer", { password: "p@ss", host: "db" }],
    ["postgres://foyer@[::1]:5432/foyer", { host: "::1", port: 5432, database: "foyer" }],
    ["postgres://foyer@/foyer?host=/run/postgresql", { host: "/run/postgresql", user: "foyer", database: "foyer" }],
    ["postgres:///foyer?host=/run/postgresql&user=foyer", { host: "/run/postgresql", user: "foyer" }],
    ["postgresql://foyer@%2Frun%2Fpostgresql/foyer", { host: "/run/postgresql", database: "foyer" }],
    ["postgres://foyer@db/foyer?options=-c%20search_path%3Dfoyer", { options: "-c search_path=foyer" }],
    ["postgres://foyer@db/foyer?application_name=foyer&target_session_attrs=read-write&connect_timeout=5", {
      application_name: "foyer",
    }],
    ...["prefer", "require", "verify-ca", "verify-full"].map((mode): [string, Record<string, unknown>] => [
      `postgres://foyer@db/foyer?sslmode=${mode}`,
      { ssl: {} },
    ]),
    ["postgres://foyer@db/foyer?sslmode=no-verify", { ssl: { rejectUnauthorized: false } }],
    ["postgres://foyer@db/foyer?sslmode=disable", { ssl: false }],
    ["postgres://foyer@db/foyer?sslmode=require&uselibpqcompat=true", { ssl: { rejectUnauthorized: false } }],
    ["postgres://foyer@db/foyer?ssl=true", { ssl: true }],
  ];
  for (const [url, expected] of cases) {
    strictEqual(databaseUrlProblem(url), null, url);
    const { connectionParameters } = new pg.Client(driverUrl(url)) as unknown as Parameters;
    const found = Object.keys(expected).map((name) => [name, connectionParameters[name]]);
    deepEqual(Object.fromEntries(found), expected, url);
  }
});
