// The buttons that copy the links of stored files. Not an island: the list may get more rows after an upload.
{
  const { copied, failed } = document.currentScript.dataset;
  // Browsers offer the clipboard only to secure origins.
  document.documentElement.dataset.copiesLinks = "clipboard" in navigator;
  document.addEventListener("click", async ({ target }) => {
    const file = target.closest("[data-copies-link]")?.closest(".file");
    if (!file) return;
    const text = await navigator.clipboard.writeText(file.querySelector("a").href).then(() => copied, () => failed);
    file.querySelector("[role=status]").textContent = text;
  });
}
