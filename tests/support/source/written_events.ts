import { z } from "zod";
import { detailsOf, EVENT_KINDS, eventDeclaration, type EventKind } from "../../../lib/activity/kinds.ts";
import { tableOf } from "./written_settings.ts";

/** Returns docs/webhooks.md with the table of the kinds of events. */
export function withEvents(document: string): string {
  const rows = EVENT_KINDS.map((kind) => [`\`${kind}\``, eventDeclaration(kind).says, detailsText(kind)]);
  const table = tableOf([["Kind", "What has happened", "`details`"], ...rows]);
  return document.replace(
    /(\n## Kinds of events\n(?:(?!\n##)[^])*?\n)\| Kind [^]*?\n(?=\n|$)/,
    (_match, before) => before + table,
  );
}

/** The details of a kind, without those that every event may have. */
function detailsText(kind: EventKind): string {
  const own = Object.keys(eventDeclaration(kind).details ?? {});
  const { shape } = detailsOf(kind);
  const texts = own.map((name) => {
    const { isOptional, description } = describe(shape[name] as z.ZodType);
    return `\`${name}\`${isOptional ? " (if any)" : ""}: ${description}`;
  });
  return texts.length === 0 ? "none" : texts.join(". ");
}

function describe(schema: z.ZodType): { isOptional: boolean; description: string } {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() as z.ZodType : schema;
  const values = inner instanceof z.ZodEnum ? inner.options : [];
  const list = values.length === 0 ? "" : ` (${values.map((value) => `\`${value}\``).join(", ")})`;
  const description = `${schema.description ?? inner.description}${list}`;
  return { isOptional: inner !== schema, description };
}
