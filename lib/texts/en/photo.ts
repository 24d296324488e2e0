/** The form of the user’s photo. */
export const photo = {
  title: "Your photo",
  choose: "Choose a photo",
  hint: (limit: string) => `JPEG, PNG, WebP or GIF, up to ${limit}.`,
  hintWithScripts: (limit: string) =>
    `JPEG, PNG, WebP or GIF. Photos larger than ${limit} are made smaller. You can also drop or paste one here.`,
  chooseFirst: "Choose a photo first",
  notSaved: "This photo isn’t saved yet.",
  upload: "Upload photo",
  uploading: "Uploading photo",
  remove: "Remove photo",
  cancel: "Cancel",
  updated: "Photo updated.",
  removed: "Photo removed.",
  cancelled: "Canceled. Your photo hasn’t changed.",
  wrongType: "Choose a JPEG, PNG, WebP or GIF image",
  tooLarge: (limit: string) => `Choose an image smaller than ${limit}`,
  gifTooLarge: (limit: string) => `Choose a GIF smaller than ${limit}. GIFs can’t be made smaller here.`,
  notOfType: (type: string) => `This doesn’t look like a ${type}. It may be damaged.`,
  quotaExceeded: "Not enough space. Delete some uploads first.",
  invalid: "This image can’t be used. It may be damaged, or too large.",
};
