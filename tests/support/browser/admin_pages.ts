import { secondsAfter, YEAR_SECONDS } from "../../../lib/duration.ts";
import { findSetupLink } from "../../../lib/accounts/first_admin.ts";
import { registerVerifiedUser } from "../app/accounts.ts";
import { registerAdmin } from "../app/admins.ts";
import type { TestApp } from "../app/test_app.ts";

/** What the paths of the administration refer to. */
export interface Administration {
  adminCookies: Record<string, string>;
  /** The page of an account for admins. */
  accountPath: string;
  /** The pages of groups: one with people, one of them, and one without. */
  groupPath: string;
  memberPath: string;
  emptyGroupPath: string;
  /** The page of a webhook, whose secret is shown once. */
  webhookPath: string;
  /** The page of an app made in the browser, whose secret is shown once with these cookies. */
  appPath: string;
  appCookies: Record<string, string>;
  /** Where a waiting email is sent now. */
  retryPath: string;
  /** The page that would make the first admin. */
  setupPath: string;
}

/** Registers an admin who has added a webhook and tested it, and someone who waits for an email. */
export async function populateAdministration(app: TestApp): Promise<Administration> {
  const { db, now } = app.services;
  const { client } = await registerAdmin(app, "admin@example.com", "Margaret Hamilton");
  const { email, id } = await registerVerifiedUser(app, "awaiting@example.com", "Jean Bartik");
  await app.client().send("POST", "/auth/forgot-password", { email });
  const [staff, none] = ["/admin/groups/staff", "/admin/groups/board-2026"];
  await client.submit("/admin/groups", { groupName: "staff", groupTitle: "Everyone who works here" });
  await client.submit("/admin/groups", { groupName: "board-2026", groupTitle: "Board" });
  for (const who of [email, "lovelace@example.com"]) await client.submit(staff, { who, reason: "Ticket 7" });
  const waiting = await db.updateTable("outbox").set({ next_attempt_at: secondsAfter(now(), YEAR_SECONDS) })
    .where("user_id", "=", id).where("status", "=", "pending").returning("id").executeTakeFirstOrThrow();
  const url = "https://hooks.example.com/accounts";
  const added = await client.submit("/admin/webhooks/new", { url, "session.started": "on", "user.registered": "on" });
  const webhookPath = added.headers.get("Location")!;
  const adminCookies = Object.fromEntries(client.cookies);
  const made = await client.submit("/admin/apps/new", {
    client_name: "Harbor dashboards",
    redirect_uris: "https://grafana.example.com/login/generic_oauth",
    groups: "staff",
    scope: "openid profile email",
    kind: "confidential",
    reason: "Ticket 8",
  });
  const appCookies = Object.fromEntries(client.cookies);
  await client.submit(webhookPath, { action: "test" });
  await db.updateTable("first_admin").set({ made_at: null }).execute();
  const setupUrl = new URL((await findSetupLink(app.services))!);
  return {
    setupPath: setupUrl.pathname + setupUrl.search,
    adminCookies,
    accountPath: `/admin/users/${id}`,
    groupPath: staff,
    memberPath: `${staff}/people/${id}`,
    emptyGroupPath: none,
    webhookPath,
    appPath: made.headers.get("Location")!,
    appCookies,
    retryPath: `/admin/emails/${waiting.id}/retry`,
  };
}

interface AdminPage {
  name: string;
  path: string;
  cookies: Record<string, string>;
}

/** Returns the pages of the administration. */
export function adminPages(population: Administration): AdminPage[] {
  const { adminCookies, accountPath, groupPath, memberPath, emptyGroupPath, webhookPath, retryPath, appPath } =
    population;
  const paths = {
    "": "/admin",
    "-accounts": "/admin/users?query=&status=",
    "-account": accountPath,
    "-account-act": `${accountPath}/suspend`,
    "-account-groups": `${accountPath}/groups`,
    "-groups": "/admin/groups",
    "-group": groupPath,
    "-group-empty": emptyGroupPath,
    "-group-rename": "/admin/groups?group=staff#save",
    "-group-delete": `${groupPath}/delete`,
    "-group-remove": memberPath,
    "-setup": "/admin/setup",
    "-emails": "/admin/emails",
    "-email-retry": retryPath,
    "-events": "/admin/events",
    "-webhooks": "/admin/webhooks",
    "-apps": "/admin/apps",
    "-app": "/admin/apps/wiki",
    "-app-made": appPath,
    "-app-edit": `${appPath}/edit`,
    "-app-logo": `${appPath}/logo`,
    "-app-new": "/admin/apps/new",
    "-webhook-new": "/admin/webhooks/new",
    "-webhook": webhookPath,
  };
  const cookies = { ...adminCookies, shown_once: "", notice: "" };
  return [
    ...Object.entries(paths).map(([name, path]) => ({ name: `admin${name}`, path, cookies })),
    { name: "admin-webhook-added", path: webhookPath, cookies: adminCookies },
    { name: "admin-app-added", path: appPath, cookies: { ...population.appCookies, notice: "" } },
  ];
}
