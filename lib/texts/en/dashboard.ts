/** The dashboard. */
export const dashboard = {
  title: (name: string) => `Hello, ${name}`,
  changeVisibility: "Change",
  emailConfirmed: "Email confirmed",
  emailNotConfirmed: "Email not confirmed",
  confirmTitle: "Confirm your email address",
  confirmText: ({ email, lifetime }: { email: string; lifetime: string }) =>
    `Open the link that we emailed to ${email} when you signed up. Links work for ${lifetime}. You’ll need to do this ` +
    "before you next log in.",
  nextSteps: "Next steps",
  addPhoto: { title: "Add a photo", text: "Help people recognize you." },
  writeBio: { title: "Write a short bio", text: "Your profile is still empty." },
  editProfile: { title: "Edit your profile", text: "Change your name, bio or photo." },
  uploadFile: { title: "Upload a file", text: "Get a link to share." },
  browsePeople: { title: "Browse people", text: "Everyone with an account." },
};
