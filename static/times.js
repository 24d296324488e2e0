// Writes times as people compare them: "12 minutes ago", or the date and time in their own time zone. Runs in the head
// and watches the page while it is parsed, so that no text changes after it has been shown.
{
  const { locale } = document.currentScript.dataset;
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  const thisYear = new Date().getFullYear();
  /** In the cell of a table, the year is there only if it is another one. */
  const brief = (date, hasTime) =>
    date.toLocaleString(locale, {
      day: "numeric",
      month: "short",
      year: date.getFullYear() === thisYear ? undefined : "numeric",
      ...hasTime && { hour: "numeric", minute: "2-digit" },
    });
  new MutationObserver(() => {
    for (const time of document.querySelectorAll("time[datetime*=T]:not([title])")) {
      // The parser has read the whole element if something follows it.
      let end = time;
      while (end && !end.nextSibling) end = end.parentNode;
      if (!end) continue;
      const date = new Date(time.dateTime);
      const minutes = (Date.now() - date) / 6e4;
      const text = (dateStyle, timeStyle) => date.toLocaleString(locale, { dateStyle, timeStyle });
      time.title = text("full", "long");
      const { cell, short } = time.dataset;
      time.textContent = minutes < 0 || minutes > 1439
        // Below the heading of a day in UTC, the time is enough if it is that day here too.
        ? cell
          ? brief(date, cell === "moment")
          : text(short === "" && date.getDate() === date.getUTCDate() ? undefined : "long", "short")
        : minutes < 1
        ? relative.format(0, "second")
        : minutes < 60
        ? relative.format(-Math.ceil(minutes), "minute")
        : relative.format(-Math.round(minutes / 60), "hour");
    }
  }).observe(document, { childList: true, subtree: true });
}
