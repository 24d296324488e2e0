/** Tells the browser which passkeys the account still has, so that it hides the others. Not a module, as passkeys.js. */
for (const { dataset } of document.querySelectorAll("[data-accepted-passkeys]")) {
  globalThis.PublicKeyCredential?.signalAllAcceptedCredentials?.(JSON.parse(dataset.acceptedPasskeys)).catch(() => {});
}
