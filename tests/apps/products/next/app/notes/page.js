import { requireUser } from "../foyer.js";

export default async function NotesPage() {
  const { user } = await requireUser("/notes");
  return <h1>Notes of {user.name}</h1>;
}
