/** The dashboard. */
export const dashboard = {
  title: (name: string) => `Hello, ${name}`,
  emailConfirmed: "Email confirmed",
  emailNotConfirmed: "Email not confirmed",
  confirmTitle: "Confirm your email address",
  confirmText: (email: string) => `Open the link we sent to ${email}. You’ll need to do this before you next log in.`,
  resend: "Resend email",
  nextSteps: "Next steps",
  addPhoto: ["Add a photo", "Help people recognize you."],
  writeBio: ["Write a short bio", "Your profile is still empty."],
  editProfile: ["Edit your profile", "Change your name, bio or photo."],
  uploadFile: ["Upload a file", "Get a link to share."],
  browsePeople: ["Browse people", "Everyone with an account."],
};
