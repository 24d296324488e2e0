import { foyer, session } from "./foyer.js";

export default async function Page() {
  const found = await session();
  if (found === null) {
    return (
      <main>
        <h1>Hello, guest</h1>
        <a href={foyer.loginUrl("/")}>Log in</a>
      </main>
    );
  }
  const { name, picture } = found.user;
  return (
    <main>
      <h1>Hello, {name}</h1>
      {picture && <img src={picture} alt="" width="96" />}
      <a href={foyer.logoutUrl("/")}>Log out</a>
    </main>
  );
}
