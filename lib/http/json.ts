/** 200 with a JSON body. */
export function ok(body: unknown): Response {
  return Response.json(body);
}

/** 201 with a JSON body. */
export function created(body: unknown): Response {
  return Response.json(body, { status: 201 });
}
