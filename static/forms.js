/**
 * What forms get besides their markup: a button that shows that the form has been sent, buttons that show passwords, and
 * links that take the address along. Not an island, so that most pages load only these lines. Not a module, because a
 * window that a sandboxed page opened loads no modules. Runs once per form; the first run finds all hidden buttons.
 */
for (const button of document.querySelectorAll(".password button[hidden]")) {
  const input = button.previousElementSibling;
  const { "aria-label": label, "data-label": otherLabel, "data-text": otherText } = button.attributes;
  button.hidden = false;
  button.onclick = () => {
    input.type = input.type === "text" ? "password" : "text";
    input.autocapitalize = "none"; // Phones must not capitalize the text.
    [label.value, otherLabel.value] = [otherLabel.value, label.value];
    [button.textContent, otherText.value] = [otherText.value, button.textContent];
  };
}

/** What people have typed goes along to the pages that email them something, and back. They would type it once more. */
document.onclick = ({ target }) => {
  const link = target.closest('a:is([href^="/forgot-password"], [href^="/login"])');
  const email = document.querySelector("[name=email]")?.value;
  if (!link || !email) return;
  const url = new URL(link.href);
  url.searchParams.set("email", email);
  link.href = url;
};

/** Of a file field, only the button may be seen: the name of the file is written below it. */
document.onchange = ({ target: { id, files } }) => {
  const output = files && document.querySelector(`output[for="${id}"]`);
  if (output) output.value = files[0]?.name ?? "";
};

/** A second press sends nothing. A property, because a second listener would take the first press for the second. */
document.onsubmit = ({ target, submitter, defaultPrevented }) => {
  const button = submitter ?? target.querySelector("[type=submit]");
  if (defaultPrevented || target.getAttribute("method") !== "post" || !button) return;
  if (button.getAttribute("aria-disabled") === "true") return false;
  button.setAttribute("aria-disabled", true);
  // People may stop the page from loading, or come back to it.
  const free = () => button.removeAttribute("aria-disabled");
  setTimeout(free, 1e4);
  addEventListener("pagehide", free);
};
