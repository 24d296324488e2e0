import { checkHealth } from "../lib/health/health.ts";
import { define } from "../lib/http/state.ts";
import { page } from "fresh";
import { Head } from "fresh/runtime";

export const handler = define.handlers({
  async GET(ctx) {
    const health = await checkHealth(ctx.state.services);
    const session = await ctx.state.currentSession();
    return page({ health, name: session?.user.name });
  },
});

export default define.page<typeof handler>(function StartPage({ data: { health, name } }) {
  return (
    <main>
      <Head>
        <meta name="description" content="Accounts, sessions, profiles and uploads, as a JSON API and as pages." />
      </Head>
      <h1>The entrance hall of your product</h1>
      <p class="lead">
        Accounts, sessions, profiles and uploads: one small service, as a JSON API and as pages that work everywhere.
      </p>
      {name === undefined
        ? (
          <p>
            <a class="button" href="/login">Log in</a>
          </p>
        )
        : <p>You are logged in as {name}.</p>}
      <h2>State of the service</h2>
      <dl class="facts">
        <dt>Status</dt>
        <dd>{health.status}</dd>
        <dt>Database</dt>
        <dd>{health.db}</dd>
        <dt>Version</dt>
        <dd>{health.version}</dd>
      </dl>
      <p>
        Programs ask <a href="/api/health">/api/health</a> and <a href="/api/users">/api/users</a>.
      </p>
    </main>
  );
});
