import { z } from "zod";

/** The parts of which views consist. Views are what the API returns; the document of the API is generated from them. */

/** The id of a stored thing, a UUID. */
export const EntityId = z.guid();

/** A time. */
export const Time = z.int().min(0).meta({ description: "Unix time in whole seconds" });

/** A number of things or bytes. */
export const Amount = z.int().min(0);

/** An address of a stored object. */
export const ObjectUrl = z.url();

/** The part that most results of an action share. */
export const Success = z.object({ success: z.literal(true) });

/** The result of an action, as a sentence. */
export const Done = Success.extend({ message: z.string() });

/** One thing. */
export function one<View extends z.ZodType>(view: View) {
  return z.object({ data: view });
}

/** One page of a list. */
export function listOf<View extends z.ZodType>(view: View) {
  const nextCursor = z.string().nullable().meta({ description: "The `cursor` of the next part; null at the end" });
  return z.object({ data: z.array(view), nextCursor });
}
