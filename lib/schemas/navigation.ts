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

/** The query of the check for reverse proxies. */
export const CheckQuery = z.object({
  group: z.string().optional().meta({
    description: "Groups, separated by commas. The response is 403 unless the person is in one of them",
  }),
  login: z.string().optional().meta({
    description: "With `redirect`, the response is 303 to the login page instead of 401",
  }),
});
