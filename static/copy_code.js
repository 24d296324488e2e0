// The buttons that copy the examples of /docs. Not an island, so that the page loads only these lines.
{
  const { copy, copied, failed } = document.currentScript.dataset;
  const status = document.createElement("p");
  status.className = "visually-hidden";
  status.setAttribute("role", "status");
  document.querySelector("main").append(status);

  for (const code of document.querySelectorAll("pre")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet no-print";
    button.textContent = copy;
    button.setAttribute("aria-label", `${copy}: ${code.closest("section").querySelector("h3").textContent}`);
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        status.textContent = copied;
      } catch {
        // The page is not secure, or the browser refuses.
        getSelection().selectAllChildren(code);
        status.textContent = document.execCommand("copy") ? copied : failed;
      }
      button.textContent = status.textContent;
      setTimeout(() => {
        status.textContent = "";
        button.textContent = copy;
      }, 3000);
    });
    code.after(button);
  }
}
