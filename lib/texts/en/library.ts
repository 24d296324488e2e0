/** The list of a person's files. */
export const library = {
  title: "Your files",
  used: (size: string, quota: string) => `${size} of ${quota} used`,
  usedWithoutLimit: (size: string) => `${size} used`,
  spaceUsed: "Space used",
  none: "No files yet.",
  noMore: "No more files.",
  choose: (file: string) => `Choose ${file}`,
  deleteChosen: "Delete chosen files",
  uploadedAt: "Uploaded",
  deleted: (files: number) => files === 1 ? "One file deleted" : `${files} files deleted`,
  andMore: (files: number) => `and ${files} more`,
  untilGone: (minutes: number) => `Links to deleted files stop working after about ${minutes} minutes.`,
  undo: "Undo",
  pages: "Pages",
  firstPage: "First page",
  nextPage: "Next page",
};
