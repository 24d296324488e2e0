import { page } from "fresh";
import { Head } from "fresh/runtime";
import { requireUser } from "../../lib/http/require_user.ts";
import { define } from "../../lib/http/state.ts";

export const handler = define.handlers({
  GET: async (ctx) => page(await requireUser(ctx)),
});

export default define.page<typeof handler>(function DashboardPage({ data: user }) {
  return (
    <main>
      <Head>
        <title>Dashboard · Foyer</title>
      </Head>
      <h1>Hello, {user.name}</h1>
      <p>
        {user.email}, {user.emailVerified ? "confirmed" : "not confirmed yet"}
      </p>
    </main>
  );
});
