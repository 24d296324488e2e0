import { page } from "fresh";
import { asset } from "fresh/runtime";
import { checkHealth } from "../lib/operations/health.ts";
import { define } from "../lib/http/state.ts";
import { Page } from "../lib/ui/Page.tsx";

export const handler = define.handlers({
  async GET(ctx) {
    // At once: a database that hangs is waited for no longer than by any other page.
    const [health, session] = await Promise.all([checkHealth(ctx.state.services), ctx.state.currentSession()]);
    return page({ health, name: session?.user.name });
  },
});

export default define.page<typeof handler>(function StartPage({ data: { health, name } }) {
  return (
    <Page title="The entrance hall of your product">
      <div class="hero">
        <div>
          <p class="lead">
            People come in here: they register, confirm who they are, show a face and bring their files. Everything
            works on every device, also where scripts do not.
          </p>
          {name === undefined ? <Welcome /> : <WelcomeBack name={name} />}
        </div>
        <img src={asset("/mark.svg")} alt="" width="160" height="160" />
      </div>
      <ul class="cards">
        <li class="card">
          <h2>Come in safely</h2>
          <p>With a password that only you know, and a mail that proves the address is yours.</p>
        </li>
        <li class="card">
          <h2>Show a face</h2>
          <p>A name, a picture, a few words about yourself, and a page that others can find.</p>
        </li>
        <li class="card">
          <h2>Bring your files</h2>
          <p>Drop them in, watch them arrive, and hand out the link. A bad network is no trouble.</p>
        </li>
      </ul>
      <p class="meta">
        For programs: <a href="/api/health">/api/health</a> and <a href="/api/users">/api/users</a>. The database is
        {" "}
        {health.db}; this is version {health.version}.
      </p>
    </Page>
  );
});

function Welcome() {
  return (
    <p class="actions">
      <a class="button" href="/register">Register</a>
      <a class="button secondary" href="/login">Log in</a>
    </p>
  );
}

function WelcomeBack({ name }: { name: string }) {
  return (
    <>
      <p>
        Welcome back, <bdi>{name}</bdi>.
      </p>
      <p class="actions">
        <a class="button" href="/dashboard">Go to your dashboard</a>
      </p>
    </>
  );
}
