/** The variables that production requires. */
export const PRODUCTION = {
  APP_ENV: "production",
  BASE_URL: "https://foyer.example",
  APP_SECRET: "s".repeat(32),
  EMAIL_API_TOKEN: "token",
  EMAIL_FROM: "Foyer <hello@foyer.example>",
};
