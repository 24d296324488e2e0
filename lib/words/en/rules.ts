/** What a page says beside a field that was filled in wrongly, by rule. */
export const rules = {
  fillIn: {
    name: "Enter your name",
    email: "Enter your email address",
    password: "Enter your password",
    file: "Choose a file",
  } as Record<string, string>,
  fillInOther: "Fill this in",
};
