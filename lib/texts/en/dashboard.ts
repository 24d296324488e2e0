/** The dashboard. */
export const dashboard = {
  title: (name: string) => `Hello, ${name}`,
  changeVisibility: "Change",
  confirmTitle: "Confirm your email address",
  confirmText: ({ email, lifetime }: { email: string; lifetime: string }) =>
    `Open the link that we emailed to ${email} when you signed up. Links work for ${lifetime}. You’ll need to do this ` +
    "before you next log in.",
  setUp: "Set up your account",
  done: (done: number, all: number) => `${done} of ${all} done`,
  steps: {
    confirmEmail: {
      title: "Confirm your email address",
      text: "You’ll need it to log in again.",
      done: "Email confirmed",
    },
    addPhoto: { title: "Add a photo", text: "Help people recognize you.", done: "Photo added" },
    writeBio: { title: "Write a short bio", text: "Your profile is still empty.", done: "Profile filled in" },
    addPasskey: {
      title: "Add a passkey",
      text: "Log in with your fingerprint, face or screen lock.",
      done: "Passkey added",
    },
  },
  allFiles: "All files",
  noFiles: "No files yet. Upload one to get a link that you can share.",
  uploadFile: "Upload a file",
  activity: "Recent activity",
  allActivity: "All activity",
};
