import { App, HttpError, type Middleware } from "fresh";
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { answer, send } from "./request.ts";

function text(body: string): () => Response {
  return () => new Response(body);
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

Deno.test("each verb registers its own handler", async () => {
  const app = new App()
    .get("/", text("GET")).post("/", text("POST")).put("/", text("PUT"))
    .patch("/", text("PATCH")).delete("/", text("DELETE"));
  for (const method of METHODS) strictEqual(await answer(app, `${method} /`), `200 ${method}`);
});

Deno.test("all() handles every method", async () => {
  const app = new App().all("/", (ctx) => new Response(ctx.req.method));
  for (const method of [...METHODS, "OPTIONS"]) strictEqual(await answer(app, `${method} /`), `200 ${method}`);
  strictEqual(await answer(app, "HEAD /"), "200 ");
});

Deno.test("HEAD returns the response to GET without its body", async () => {
  const app = new App().get("/", () => new Response("body", { headers: { "x-test": "1" } }));
  const response = await send(app, "HEAD /");
  strictEqual(response.status, 200);
  strictEqual(response.headers.get("x-test"), "1");
  strictEqual(response.body, null);
});

Deno.test("HEAD cancels the body of the response to GET", async () => {
  let isCanceled = false;
  const cancel = () => void (isCanceled = true);
  const app = new App().get("/", () => new Response(new ReadableStream({ cancel })));
  await send(app, "HEAD /");
  ok(isCanceled);
});

Deno.test("head() takes precedence over get()", async () => {
  const app = new App()
    .get("/", text("get"))
    .head("/", () => new Response(null, { headers: { "x-head": "1" } }));
  strictEqual((await send(app, "HEAD /")).headers.get("x-head"), "1");
});

Deno.test("a path without a handler for the method returns 405", async () => {
  const app = new App().get("/", text("get")).get("/:id", text("id"));
  strictEqual(await answer(app, "POST /"), "405 Method Not Allowed");
  strictEqual(await answer(app, "DELETE /7"), "405 Method Not Allowed");
});

Deno.test("OPTIONS lists the methods of a path", async () => {
  const app = new App().get("/", text("get")).post("/", text("post")).get("/:id", text("id"));
  const response = await send(app, "OPTIONS /");
  strictEqual(response.status, 204);
  strictEqual(response.headers.get("allow"), "GET, POST");
  strictEqual((await send(app, "OPTIONS /7")).headers.get("allow"), "GET");
  strictEqual((await send(app, "OPTIONS /none/7")).status, 404);
});

Deno.test("an unknown path returns 404", async () => {
  strictEqual(await answer(new App().get("/", text("get")), "GET /nope"), "404 Not Found");
});

Deno.test("middlewares see 404 and 405 as thrown HttpErrors", async () => {
  const app = new App()
    .use(async (ctx) => {
      try {
        return await ctx.next();
      } catch (error) {
        ok(error instanceof HttpError);
        return new Response(`caught ${ctx.route}`, { status: error.status });
      }
    })
    .get("/here", text("here"));
  strictEqual(await answer(app, "GET /nope"), "404 caught null");
  strictEqual(await answer(app, "PUT /here"), "405 caught /here");
  strictEqual(await answer(app, "HEAD /nope"), "404 ");
  strictEqual((await send(app, "OPTIONS /here")).status, 204);
});

Deno.test("the middlewares of a path do not run for unknown paths below it", async () => {
  const seen: string[] = [];
  const app = new App()
    .use((ctx) => (seen.push("all"), ctx.next()))
    .use("/a", (ctx) => (seen.push("a"), ctx.next()))
    .get("/a/b", text("b"));
  await answer(app, "GET /a/nope");
  deepStrictEqual(seen, ["all"]);
  await answer(app, "GET /a/b");
  deepStrictEqual(seen, ["all", "all", "a"]);
});

Deno.test("middlewares run in order, each around the next", async () => {
  const log: string[] = [];
  const trace = (name: string): Middleware<unknown> => async (ctx) => {
    log.push(`${name} in`);
    const response = await ctx.next();
    log.push(`${name} out`);
    return response;
  };
  const app = new App().use(trace("1"), trace("2")).use("/a", trace("3"))
    .get("/a", trace("4"), text("done")).use(trace("late"));
  strictEqual(await answer(app, "GET /a"), "200 done");
  const expected = ["1 in", "2 in", "3 in", "4 in", "4 out", "3 out", "2 out", "1 out"];
  deepStrictEqual(log, expected);
});

Deno.test("lazy middlewares are loaded once", async () => {
  let loads = 0;
  const app = new App().get("/", () => {
    loads++;
    return Promise.resolve(text("lazy")) as unknown as Promise<Response>;
  });
  strictEqual(await answer(app, "GET /"), "200 lazy");
  const handle = app.handler();
  await handle(new Request("http://localhost/"));
  await handle(new Request("http://localhost/"));
  strictEqual(loads, 2);
});

Deno.test("requests do not share state", async () => {
  const app = new App<{ count?: number }>().use((ctx) => {
    ctx.state.count = (ctx.state.count ?? 0) + 1;
    return ctx.next();
  }).get("/", (ctx) => new Response(String(ctx.state.count)));
  const handle = app.handler();
  for (let i = 0; i < 3; i++) {
    strictEqual(await (await handle(new Request("http://localhost/"))).text(), "1");
  }
});

Deno.test("the response shows the message of an HttpError, but not of other errors", async () => {
  const app = new App()
    .get("/http", () => {
      throw new HttpError(418, "short and stout");
    })
    .get("/empty", () => {
      throw new HttpError(403);
    })
    .get("/other", () => {
      throw new Error("secret");
    })
    .get("/rejected", () => Promise.reject(new Error("secret")));
  const { error: log } = console;
  console.error = () => {};
  try {
    strictEqual(await answer(app, "GET /http"), "418 short and stout");
    strictEqual(await answer(app, "GET /empty"), "403 Forbidden");
    strictEqual(await answer(app, "GET /other"), "500 Internal server error");
    strictEqual(await answer(app, "GET /rejected"), "500 Internal server error");
  } finally {
    console.error = log;
  }
});

Deno.test("onError runs outside the middlewares of its own path", async () => {
  const mark = (name: string): Middleware<unknown> => async (ctx) => {
    const response = await ctx.next();
    response.headers.append("x-mark", name);
    return response;
  };
  const app = new App()
    .use(mark("root"))
    .onError("/a", (ctx) => new Response(String(ctx.error), { status: 503 }))
    .use("/a", mark("a"))
    .get("/a/b", () => {
      throw new TypeError("b");
    });
  const response = await send(app, "GET /a/b");
  strictEqual(response.status, 503);
  strictEqual(response.headers.get("x-mark"), "root");
  strictEqual(await response.text(), "TypeError: b");
});

Deno.test("the nearest onError handles an error, and the next one handles what it throws", async () => {
  const app = new App()
    .onError("*", (ctx) => new Response(`outer ${(ctx.error as Error).message}`))
    .onError("/a", () => {
      throw new Error("again");
    })
    .get("/a/b", () => {
      throw new Error("first");
    })
    .get("/c", () => {
      throw new Error("c");
    });
  strictEqual(await answer(app, "GET /a/b"), "200 outer again");
  strictEqual(await answer(app, "GET /c"), "200 outer c");
});

Deno.test("a middleware that catches an error finds it in the context, sync or async, on every request", async () => {
  const kept: unknown[] = [];
  const keep: Middleware<unknown> = async (ctx) => {
    try {
      return await ctx.next();
    } catch (error) {
      kept.push(ctx.error === error);
      throw error;
    }
  };
  const pass: Middleware<unknown> = async (ctx) => await ctx.next();
  const respond = ({ url }: { url: URL }): Response => {
    if (url.search === "") return new Response();
    throw new HttpError(418);
  };
  const app = new App().use(keep, pass, (ctx) => ctx.next(), keep)
    .get("/sync", respond)
    .get("/async", async (ctx) => await Promise.resolve(ctx).then(respond))
    .use("/late", async (ctx) => await ctx.next().then(() => respond(ctx)))
    .get("/late", () => new Response());
  const handler = app.handler();
  const statusOf = async (path: string) => (await handler(new Request(`http://localhost${path}`))).status;
  for (const path of ["/sync", "/async", "/late"]) {
    // A function that has not returned a response yet may be lazy, so the framework treats it differently.
    strictEqual(await statusOf(`${path}?fail`), 418);
    strictEqual(await statusOf(path), 200);
    strictEqual(await statusOf(`${path}?fail`), 418);
    deepStrictEqual(kept.splice(0), [true, true, true, true], path);
  }
});

Deno.test("plain async middlewares see each other's responses, also while requests overlap", async () => {
  const mark = (name: string): Middleware<{ path: string }> => async (ctx) => {
    ctx.state.path = (ctx.state.path ?? "") + name;
    await Promise.resolve();
    const response = await ctx.next();
    response.headers.append("x-mark", name);
    return response;
  };
  const app = new App<{ path: string }>().use(mark("a"), mark("b"), mark("c"))
    .get("/:id", async (ctx) => {
      await new Promise((resolve) => setTimeout(resolve, 0));
      return new Response(ctx.params.id + ctx.state.path);
    });
  const handler = app.handler();
  for (const _round of ["loading", "loaded"]) {
    const responses = await Promise.all(["1", "2", "3"].map((id) => handler(new Request(`http://localhost/${id}`))));
    deepStrictEqual(await Promise.all(responses.map((each) => each.text())), ["1abc", "2abc", "3abc"]);
    for (const { headers } of responses) strictEqual(headers.get("x-mark"), "c, b, a");
  }
});

Deno.test("notFound handles unknown paths and thrown 404s", async () => {
  const app = new App()
    .notFound((ctx) => new Response(`none ${ctx.url.pathname}`, { status: 404 }))
    .onError("*", () => new Response("error"))
    .get("/thrown", () => {
      throw new HttpError(404);
    });
  strictEqual(await answer(app, "GET /nope"), "404 none /nope");
  strictEqual(await answer(app, "GET /thrown"), "404 none /thrown");
});

Deno.test("ctx.info is the object passed to the handler", async () => {
  const info = { remoteAddr: { transport: "tcp", hostname: "::1", port: 1 }, extra: {} };
  let seen: unknown;
  const app = new App().get("/", (ctx) => {
    seen = ctx.info;
    return new Response();
  });
  await app.handler()(new Request("http://localhost/"), info as unknown as Deno.ServeHandlerInfo);
  strictEqual(seen, info);
});

const REDIRECTS: [from: string, location: string][] = [
  ["/", "/"],
  ["/foo/bar?a=//b#c", "/foo/bar?a=//b#c"],
  ["//evil.com/", "/evil.com/"],
  ["///evil.com//a?next=//x", "/evil.com/a?next=//x"],
  ["/a//b#//c", "/a/b#//c"],
  ["https://example.com//a", "https://example.com//a"],
];

for (const [from, location] of REDIRECTS) {
  Deno.test(`a redirect to ${from} goes to ${location}`, async () => {
    const app = new App().get("/", (ctx) => ctx.redirect(from, 303));
    const response = await send(app, "GET /");
    strictEqual(response.status, 303);
    strictEqual(response.headers.get("location"), location);
    response.headers.set("x-mutable", "1");
  });
}

Deno.test("the default status of a redirect is 302", async () => {
  strictEqual((await send(new App().get("/", (ctx) => ctx.redirect("/a")), "GET /")).status, 302);
});

Deno.test("text(), html() and json() create responses", async () => {
  const app = new App()
    .get("/text", (ctx) => ctx.text("<a>"))
    .get("/html", (ctx) => ctx.html("<a>", { status: 201, headers: { "x-a": "1" } }))
    .get("/json", (ctx) => ctx.json({ a: 1 }, { status: 202 }));
  strictEqual(await answer(app, "GET /text"), "200 <a>");
  const html = await send(app, "GET /html");
  deepStrictEqual([html.status, html.headers.get("x-a")], [201, "1"]);
  strictEqual(html.headers.get("content-type"), "text/html; charset=utf-8");
  const json = await send(app, "GET /json");
  deepStrictEqual([json.status, await json.json()], [202, { a: 1 }]);
});

Deno.test("the first registration for a path and a method wins", async () => {
  const app = new App().get("/", text("first")).get("/", text("second"));
  strictEqual(await answer(app, "GET /"), "200 first");
});

Deno.test("basePath prefixes every route", async () => {
  const app = new App({ basePath: "/base" }).get("/", text("root")).get("/a/:id", (ctx) => new Response(ctx.params.id));
  strictEqual(await answer(app, "GET /base"), "200 root");
  strictEqual(await answer(app, "GET /base/a/1"), "200 1");
  strictEqual(await answer(app, "GET /a/1"), "404 Not Found");
});

Deno.test("repeated slashes in the path are merged", async () => {
  const app = new App().get("/a/b", (ctx) => new Response(ctx.url.pathname));
  strictEqual(await answer(app, "GET //a///b"), "200 /a/b");
});

Deno.test("trustProxy uses the forwarded scheme and host", async () => {
  const show: Middleware<unknown> = (ctx) => new Response(ctx.url.origin);
  const headers = { "x-forwarded-proto": "https", "x-forwarded-host": "a.example" };
  strictEqual(await answer(new App().get("/", show), "GET /", { headers }), "200 http://localhost");
  const trusting = new App({ trustProxy: true }).get("/", show);
  strictEqual(await answer(trusting, "GET /", { headers }), "200 https://a.example");
});

Deno.test("a handler that returns no response causes 500", async () => {
  const app = new App().get("/", (() => undefined) as unknown as Middleware<unknown>);
  const { error: log } = console;
  console.error = () => {};
  strictEqual((await send(app, "GET /")).status, 500);
  console.error = log;
});

Deno.test("route() accepts handlers by method, and lazy routes", async () => {
  const app = new App()
    .route("/now", { handler: { GET: text("get"), POST: text("post") } })
    .route("/later", () => Promise.resolve({ handler: text("later") }));
  strictEqual(await answer(app, "POST /now"), "200 post");
  strictEqual(await answer(app, "PUT /now"), "405 Method Not Allowed");
  strictEqual(await answer(app, "GET /later"), "200 later");
});
