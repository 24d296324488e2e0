import type { Texts } from "../../../../lib/texts/texts.ts";
import type { ListedWebhook } from "../../../../lib/webhooks/webhook.ts";

interface WebhookStatusProps {
  webhook: Pick<ListedWebhook, "disabledAt" | "failingSince">;
  texts: Texts["webhooks"];
}

/** Whether a webhook is on, and whether it works. */
export function WebhookStatus({ webhook: { disabledAt, failingSince }, texts }: WebhookStatusProps) {
  if (disabledAt !== null) return <span class="tag">{texts.off}</span>;
  if (failingSince !== null) return <span class="tag warn">{texts.failing}</span>;
  return <span class="tag good">{texts.on}</span>;
}
