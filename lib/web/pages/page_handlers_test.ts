import { deepStrictEqual } from "node:assert/strict";
import { page } from "fresh";
import { pageHandlers } from "./page_handlers.ts";

const GET = () => page();
const POST = () => new Response();

Deno.test("a page that leaves out what it requires does not compile", () => {
  // @ts-expect-error It does not say who may use it.
  pageHandlers({ whileClosing: "refused" }, { GET });
  // @ts-expect-error It does not say whether an account that is closing may use it.
  pageHandlers({ who: "member" }, { GET });
  // @ts-expect-error It does not say what limits its form.
  pageHandlers({ who: "member", whileClosing: "refused" }, { GET, POST });
  // @ts-expect-error There is no such limit.
  pageHandlers({ who: "member", whileClosing: "refused", limit: "none" }, { GET, POST });
});

Deno.test("a limit is that of the forms, or of reading a page without forms", () => {
  const limits = (handlers: object) => Object.values(handlers).map(({ limit }) => limit).filter(Boolean).length;
  const declaration = { who: "member", whileClosing: "refused", limit: "write" } as const;
  const limitOf = (handler: unknown) => (handler as { limit?: unknown }).limit;
  const withForm = pageHandlers(declaration, { GET, POST });
  deepStrictEqual([limitOf(withForm.GET), limitOf(withForm.POST), limits(withForm)], [undefined, "write", 1]);
  const withoutForm = pageHandlers(declaration, { GET });
  deepStrictEqual([limitOf(withoutForm.GET), limits(withoutForm)], ["write", 1]);
});
