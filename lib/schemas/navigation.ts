import { z } from "zod";

/** The query of a URL that leads to a page of this site. Another value of `next` is ignored. */
export const NextQuery = z.object({
  next: z.string().optional().meta({ description: "The path of the page to end on" }),
});

/** The query of a URL that starts a sign-in at a provider. */
export const StartQuery = NextQuery.extend({
  login_hint: z.string().optional().meta({ description: "The address to log in with, which the provider may fill in" }),
});

/** What the identity provider adds to the callback. Source: RFC 6749, 4.1.2. */
export const CallbackQuery = z.object({
  code: z.string().optional(),
  state: z.string().optional(),
  error: z.string().optional(),
});

const bounded = (max: number, sample: string) => z.string().max(max).meta({ sample });

/** What a provider posts that sends the browser back with a form. Source: OAuth 2.0 Form Post Response Mode. */
export const PostedAnswer = z.object({
  state: bounded(128, "AAABnLcmBQB9Xv0ZPq1c3Jw8"),
  code: bounded(1024, "c1f2e3.0.srsxr.QxZ").optional(),
  error: bounded(128, "user_cancelled_authorize").optional(),
  user: bounded(4096, '{"name":{"firstName":"Ada","lastName":"Lovelace"}}').optional().meta({
    description: "The name of the person, at their first sign-in only",
  }),
});
export type PostedAnswer = z.infer<typeof PostedAnswer>;

/** The query of the check for reverse proxies. */
export const CheckQuery = z.object({
  group: z.string().optional().meta({
    description: "Groups, separated by commas. The response is 403 unless the person is in one of them",
  }),
  login: z.string().optional().meta({
    description: "With `redirect`, the response is 303 to the login page instead of 401",
  }),
});
