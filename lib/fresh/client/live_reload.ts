// Reloads the page when a different server answers, which means that the server was restarted.
let revision: string | undefined;
const path = new URL("../../../_frsh/alive", import.meta.url);
new EventSource(path).onmessage = ({ data }) => {
  revision ??= data;
  if (revision !== data) location.reload();
};
