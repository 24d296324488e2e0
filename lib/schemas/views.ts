import { z } from "zod";

/** The parts of which views consist. Views are what the API returns; the document of the API is generated from them. */

/** The id of a stored thing, a UUID. */
export const EntityId = z.guid();

/** A text such as this one, which the API document shows as an example. */
export function like(example: string) {
  return z.string().meta({ sample: example });
}

/** The same, where there may be none. */
export function maybeLike(example: string) {
  return z.string().nullable().meta({ sample: example });
}

/** A time. */
export const Time = z.int().min(0).meta({ description: "Unix time in whole seconds", sample: 1_772_366_401 });

/** A number of things or bytes. */
export const Amount = z.int().min(0).meta({ sample: 1 });

/** An address of a stored object. */
export const ObjectUrl = z.url().meta({ sample: "https://foyer.example/files/uploads/notes.txt" });

/** The part that most results of an action share. */
export const Success = z.object({ success: z.literal(true) });

/** The result of an action, as a sentence. */
export const Done = Success.extend({ message: like("Done") });

/** One thing. */
export function one<View extends z.ZodType>(view: View) {
  return z.object({ data: view });
}

/** One page of a list. */
export function listOf<View extends z.ZodType>(view: View) {
  const nextCursor = z.string().nullable().meta({ description: "The `cursor` of the next part; null at the end" });
  return z.object({ data: z.array(view), nextCursor });
}
