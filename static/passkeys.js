/**
 * The parts of pages that create or use passkeys. Not an island, so that /login loads only these lines. Not a module,
 * because a window that a sandboxed page opened loads no modules. Runs once per part; the first run finds all of them.
 */
{
  /** Challenges expire after ten minutes. Pages stay open for hours. */
  const RENEWAL_MS = 8 * 60_000;
  const LOOK_MS = 30_000;

  const start = async (part, kind) => {
    const { options: path, autofill, ...texts } = part.dataset;
    const input = part.querySelector("input");
    const problem = part.querySelector("p");
    let request = new AbortController();
    let askedAt = 0;
    let isOffered = false;

    /** Aborts the request that is waiting, because browsers allow only one. */
    const ask = async (mediation) => {
      request.abort();
      const { signal } = request = new AbortController();
      askedAt = Date.now();
      const response = await fetch(path, { method: "POST", signal });
      if (!response.ok) throw response;
      const { options } = await response.json();
      const parse = kind === "create" ? "parseCreationOptionsFromJSON" : "parseRequestOptionsFromJSON";
      const publicKey = PublicKeyCredential[parse](options);
      input.value = JSON.stringify(await navigator.credentials[kind]({ publicKey, mediation, signal }));
      isOffered = false;
      input.form.requestSubmit();
    };

    /** Lets the browser offer passkeys beside the addresses that it fills in. Fails silently: no one has asked for it. */
    const offer = () => {
      isOffered = autofill;
      if (isOffered) ask("conditional").catch(() => {});
    };

    part.querySelector("button").onclick = async (event) => {
      event.preventDefault();
      problem.textContent = "";
      isOffered = false;
      try {
        await ask();
      } catch (error) {
        if (error.name === "AbortError") return;
        // The session or the proof has ended. The page says what to do.
        if (error.status === 401 || error.status === 403) return input.form.requestSubmit();
        problem.setAttribute("role", "alert"); // A page without a problem has no alert.
        problem.textContent = texts[error.name?.toLowerCase()] ?? texts.failed;
        offer();
      }
    };

    if (!autofill || !await PublicKeyCredential.isConditionalMediationAvailable?.()) return;
    offer();
    setInterval(() => isOffered && Date.now() - askedAt > RENEWAL_MS && offer(), LOOK_MS);
  };

  for (const part of document.querySelectorAll(".passkey:not([data-is-ready])")) {
    part.dataset.isReady = true;
    const { kind, rpId } = part.dataset;
    const isElsewhere = !`.${location.hostname}`.endsWith(`.${rpId}`);
    const isPossible = globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON;
    const when = isElsewhere ? "elsewhere" : isPossible ? "ready" : "missing";
    for (const each of part.querySelectorAll("[data-when]")) each.hidden = each.dataset.when !== when;
    if (when === "ready" && kind) start(part, kind);
  }
}
