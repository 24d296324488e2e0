/** The page that shows new recovery codes, once. */
export const recoveryCodes = {
  title: "Your recovery codes",
  lead: "Lost your phone? Each code logs you in once. Keep them where only you can find them.",
  once: "We show them only once. You can create new ones at any time.",
  list: "Recovery codes",
  copy: "Copy codes",
  copied: "Codes copied",
  copyFailed: "Couldn’t copy the codes. They’re selected, so press Ctrl+C (⌘C on a Mac).",
  download: "Download codes",
  print: "Print codes",
  printHint: "To print them, use the print command of your browser.",
  /** The start of the text file. */
  file: (product: string, email: string) => `Recovery codes for ${product}, ${email}. Each code works once.`,
  done: "I’ve saved my codes",

  newTitle: "Create new recovery codes",
  newLead: "New codes replace the old ones, which stop working.",
  submit: "Create new codes",
  cancel: "Keep the old codes",
};
