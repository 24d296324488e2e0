import { EVENT_KINDS, eventDeclaration, TEST_KIND, type WebhookKind } from "../activity/kinds.ts";
import { webhookMessage } from "../webhooks/schema.ts";
import type { ParameterObject } from "./operation_object.ts";
import type { MediaType, ResponseObject } from "./response.ts";
import type { SchemaConverter } from "./schemas.ts";

/** A request that a receiver gets. Source: OpenAPI 3.1, `webhooks`. */
export interface MessageObject {
  post: {
    operationId: string;
    tags: string[];
    summary: string;
    /** The signature is all that there is. */
    security: [];
    parameters: ParameterObject[];
    requestBody: { required: true; content: Record<string, MediaType> };
    responses: Record<string, Omit<ResponseObject, "headers">>;
  };
}

const KINDS: WebhookKind[] = [...EVENT_KINDS, TEST_KIND];

/** The bodies by kind of event. */
const MESSAGES = new Map(KINDS.map((kind) => [kind, webhookMessage(kind)]));
/** The same, for the converter of the document. */
export const WEBHOOK_BODIES = [...MESSAGES.values()];

/** Source: Standard Webhooks, "Webhook headers". */
const HEADERS: Record<string, string> = {
  "webhook-id": "The id of the event, the same for every attempt",
  "webhook-timestamp": "When it was sent, in seconds since 1970",
  "webhook-signature": "One signature or several, separated by spaces",
};

/** Describes what webhooks get, by kind of event. */
export function describeMessages({ tag, converter }: { tag: string; converter: SchemaConverter }) {
  return Object.fromEntries(KINDS.map((kind): [string, MessageObject] => [kind, {
    post: {
      operationId: operationIdOf(kind),
      tags: [tag],
      summary: kind === TEST_KIND ? "An admin sent a test" : eventDeclaration(kind).says,
      security: [],
      parameters: Object.entries(HEADERS).map(([name, description]): ParameterObject => ({
        name,
        in: "header",
        required: true,
        description,
        schema: { type: "string" },
      })),
      requestBody: {
        required: true,
        content: { "application/json": { schema: converter.convert(MESSAGES.get(kind)!) } },
      },
      responses: {
        "2XX": { description: "The event has arrived" },
        410: { description: "Turns the webhook off" },
        default: { description: "The event is sent again later" },
      },
    },
  }]));
}

/** Such as `receiveSessionStarted`. */
function operationIdOf(kind: WebhookKind): string {
  return `receive${kind.split(/[._]/).map((word) => word[0].toUpperCase() + word.slice(1)).join("")}`;
}
