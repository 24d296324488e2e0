import { onlyWithApps } from "../../lib/web/oauth/only_with_apps.ts";

export const handler = onlyWithApps;
