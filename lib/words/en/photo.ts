/** The form of the user’s photo. */
export const photo = {
  title: "Your photo",
  choose: "Choose a photo",
  hint: (limit: string) => `JPEG, PNG, WebP or GIF, up to ${limit}. You can also drop or paste one here.`,
  upload: "Upload photo",
  uploading: "Uploading photo",
  remove: "Remove photo",
  cancel: "Cancel",
  updated: "Photo updated.",
  cancelled: "Cancelled. Your photo hasn’t changed.",
  wrongType: "Choose a JPEG, PNG, WebP or GIF image",
  tooLarge: (limit: string) => `Choose an image smaller than ${limit}`,
  notOfType: (type: string) => `This doesn’t look like a ${type}. It may be damaged.`,
  invalid: "This image can’t be used. It may be damaged, or too large.",
};
