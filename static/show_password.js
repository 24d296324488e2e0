/**
 * The buttons that show and hide passwords. Not an island, so that /login loads only these lines. Not a module, because
 * a window that a sandboxed page opened loads no modules. Runs once per field; the first run finds all hidden buttons.
 */
for (const button of document.querySelectorAll(".password button[hidden]")) {
  const input = button.previousElementSibling;
  const toShow = [button.textContent, button.getAttribute("aria-label")];
  const toHide = [button.dataset.hide, button.dataset.hideLabel];
  button.hidden = false;
  button.addEventListener("click", () => {
    const isShown = input.type === "password";
    // Phones must not capitalize the text, and browsers must not send it to a spelling checker.
    Object.assign(input, { type: isShown ? "text" : "password", autocapitalize: "none", spellcheck: false });
    const [text, label] = isShown ? toHide : toShow;
    button.textContent = text;
    button.setAttribute("aria-label", label);
  });
}
