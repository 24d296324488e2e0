import { OPERATIONS, type Operations } from "./operations.ts";
import { type IncomingRequest, refusalOf, send } from "./request.ts";
import { credentialsOf, sessionCookieOf } from "./session.ts";

/** Who calls the API: a program with an API token or an access token, the sender of a request, or a guest. */
export type Credentials = { token: string } | { request: IncomingRequest } | undefined;

export interface CallOptions {
  /** The same key for a repeated request makes sure that it acts once. */
  idempotencyKey?: string;
  /** The `ETag` of the version that you want to change. */
  ifMatch?: string;
  signal?: AbortSignal;
}

type Input<Of> = Of extends { input: infer I } ? I : never;
type Output<Of> = Of extends { output: infer O } ? O : never;

/** One operation. It takes the parameters of the path, of the query and the fields of the body in one object. */
type Call<Of> = object extends Input<Of> ? (input?: Input<Of>, options?: CallOptions) => Promise<Output<Of>>
  : (input: Input<Of>, options?: CallOptions) => Promise<Output<Of>>;

/** Lists also have `pages`, which goes through all of their entries. */
type Listed<Of> = [Output<Of>] extends [{ data: (infer Item)[]; nextCursor: string | null }]
  ? { pages(input?: Input<Of>): AsyncGenerator<Item, void, void> }
  : object;

/** All operations of the API, by the names that its document gives them. */
export type Api = { [Name in keyof Operations]: Call<Operations[Name]> & Listed<Operations[Name]> } & {
  /**
   * Stores a file: asks where to send it, sends it, and confirms it.
   *
   * @returns what `confirmUpload` returns.
   */
  upload(
    file: Blob & { name?: string },
    options?: { filename?: string; visibility?: "public" | "private" },
  ): Promise<Output<Operations["confirmUpload"]>>;
};

type Fields = Record<string, unknown>;

/**
 * Returns the API as one function for each operation. They throw {@linkcode FoyerError} for what Foyer refuses, and
 * {@linkcode FoyerUnavailable} if it does not answer.
 */
export function createApi(url: string, credentials: Credentials): Api {
  const call = (name: string, input?: Fields, options?: CallOptions) =>
    callOperation(url, credentials, name, input, options);
  const operations = Object.keys(OPERATIONS).map((name) => [
    name,
    Object.assign((input?: Fields, options?: CallOptions) => call(name, input, options), {
      pages: (input?: Fields) => eachOf((cursor) => call(name, { ...input, ...cursor }) as Promise<Page>),
    }),
  ]);
  return { ...Object.fromEntries(operations), upload: (file: File, options = {}) => uploadFile(call, file, options) };
}

/** Logs in, and returns the API as that person. */
export async function logIn(url: string, input: { email: string; password: string }): Promise<Api> {
  const headers = { "content-type": "application/json" };
  const response = await send(`${url}/auth/login`, { method: "POST", headers, body: JSON.stringify(input) });
  if (!response.ok) throw await refusalOf(response);
  await response.body?.cancel();
  return createApi(url, { request: { headers: { cookie: sessionCookieOf(response) } } });
}

interface Page {
  data: unknown[];
  nextCursor: string | null;
}

async function* eachOf(load: (cursor: { cursor?: string }) => Promise<Page>): AsyncGenerator<unknown, void, void> {
  let page = await load({});
  yield* page.data;
  while (page.nextCursor !== null) {
    page = await load({ cursor: page.nextCursor });
    yield* page.data;
  }
}

async function callOperation(
  url: string,
  credentials: Credentials,
  name: string,
  input: Fields = {},
  { idempotencyKey, ifMatch, signal }: CallOptions = {},
): Promise<unknown> {
  const [method, template] = OPERATIONS[name].split(" ");
  const rest = { ...input };
  const path = template.replace(/\{(\w+)\}/g, (_, parameter) => {
    const value = rest[parameter];
    delete rest[parameter];
    if (typeof value !== "string" || value === "") throw new TypeError(`${name} needs ${parameter}`);
    return encodeURIComponent(value);
  });
  const headers = new Headers(headersOf(credentials));
  if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey);
  if (ifMatch !== undefined) headers.set("if-match", ifMatch);
  const isRead = method === "GET";
  const body = isRead || Object.keys(rest).length === 0 ? undefined : bodyOf(rest, headers);
  const response = await send(url + path + (isRead ? queryOf(rest) : ""), { method, headers, body, signal });
  if (!response.ok) throw await refusalOf(response);
  return response.status === 204 ? undefined : await response.json();
}

/** The fields as JSON, or as a form if there is a file among them. */
function bodyOf(fields: Fields, headers: Headers): BodyInit {
  if (!Object.values(fields).some((value) => value instanceof Blob)) {
    headers.set("content-type", "application/json");
    return JSON.stringify(fields);
  }
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof Blob) form.set(name, value);
    else if (value !== undefined) form.set(name, String(value));
  }
  return form;
}

function queryOf(fields: Fields): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

function headersOf(credentials: Credentials): Record<string, string> {
  if (credentials === undefined) return {};
  if ("token" in credentials) return { authorization: `Bearer ${credentials.token}` };
  return credentialsOf(credentials.request, false) ?? {};
}

async function uploadFile(
  call: (name: string, input?: Fields) => Promise<unknown>,
  file: File,
  { filename = file.name ?? "file", visibility }: { filename?: string; visibility?: string },
): Promise<unknown> {
  const contentType = file.type || "application/octet-stream";
  const input = { filename, contentType, size: file.size, visibility };
  const { id, presignedUrl } = await call("presignUpload", input) as { id: string; presignedUrl: string };
  const headers = { "content-type": contentType };
  const response = await send(presignedUrl, { method: "PUT", headers, body: file, isUpload: true });
  if (!response.ok) throw await refusalOf(response);
  await response.body?.cancel();
  return await call("confirmUpload", { id });
}
