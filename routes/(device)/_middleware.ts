import { noStore } from "../../lib/web/middleware/no_store.ts";
import { onlyWithApps } from "../../lib/web/oauth/only_with_apps.ts";

export const handler = [onlyWithApps, noStore];
