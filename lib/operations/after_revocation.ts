/** What a revocation cannot do. The command prints it; docs/operations.md says more. */
export const AFTER_REVOCATION: string[] = [
  "Remove the leaked secret from APP_SECRET_PREVIOUS and restart all instances. Until then it opens what it has sealed.",
  "If the database may have leaked too, ask people with an authenticator app to set up a new one.",
  "Ask products to load /.well-known/jwks.json again if they keep it for longer than an hour.",
  "Look through the events since the leak, and tell people about those that nobody can explain.",
];
