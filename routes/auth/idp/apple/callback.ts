import { CALLBACK, finishIdpSignIn, keepPostedAnswer } from "../../../../lib/web/authentication/idp_handlers.ts";
import { endpoints, plainEndpoint } from "../../../../lib/web/endpoints/endpoint.ts";
import { PostedAnswer } from "../../../../lib/schemas/navigation.ts";

const APPLE = "apple";

/** A file of its own, because only Apple posts its answer. */
export const handler = endpoints({
  GET: plainEndpoint({
    operationId: "completeAppleSignIn",
    summary: "Complete a sign-in with Apple",
    description: "As `GET /auth/idp/callback`, after `POST` has received the answer.",
    ...CALLBACK,
  }, (ctx) => finishIdpSignIn(ctx, APPLE)),
  POST: plainEndpoint({
    operationId: "saveAppleAnswer",
    summary: "Keep the answer of Apple",
    description: "Apple sends the browser here with a form. It redirects to the same path with `state` alone.",
    caller: "public",
    tokens: "session",
    whileClosing: "open",
    form: PostedAnswer,
    returns: { 303: null },
    sends: ["Location", "Set-Cookie"],
    errors: ["INVALID_STATE", "IDP_NOT_CONFIGURED", "FORBIDDEN"],
    limit: "write",
  }, (ctx) => keepPostedAnswer(ctx, APPLE)),
});
