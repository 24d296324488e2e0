/** The list of people, and the page of one. */
export const people = {
  title: "People",
  description: "Everyone with an account, newest first.",
  profileOf: (name: string) => `${name}’s profile.`,
  joined: "Joined",
  /** Writes dates like November 22, 2026. */
  dateLocale: "en-US",
  /** After one's own name in the list. */
  you: "You",
  edit: "Edit profile",
  viewYours: "View your profile",
  backToPeople: "Back to people",
  pages: "Pages",
  firstPage: "First page",
  nextPage: "Next page",
  search: "Search by name",
  find: "Search",
  searchedFor: (query: string) => `People: ${query}`,
  noneFound: "No one found",
  noneFoundHint: "Try the beginning of a first or last name.",
  showAll: "Show everyone",
  none: "No one has joined yet.",
  beFirst: "Be the first.",
  noMore: "No more people.",
};
