// Reloads the page when the server that made it was replaced by another.
let made: string | undefined;
const path = new URL("../../../_frsh/alive", import.meta.url);
new EventSource(path).onmessage = ({ data }) => {
  made ??= data;
  if (made !== data) location.reload();
};
