import { type EventKind, eventKindsIn } from "../../../../lib/activity/kinds.ts";
import type { UploadsSetting } from "../../../../lib/config/uploads_setting.ts";
import type { Texts } from "../../../../lib/texts/texts.ts";

interface WebhookKindsProps {
  kinds: EventKind[];
  /** How many are named. Default: all. */
  most?: number;
  config: UploadsSetting;
  texts: Texts["webhooks"];
}

/** The events that a webhook gets. */
export function WebhookKinds({ kinds, most = kinds.length, config, texts }: WebhookKindsProps) {
  if (eventKindsIn(config).every((kind) => kinds.includes(kind))) return texts.every;
  return (
    <>
      <code>{kinds.slice(0, most).join(", ")}</code>
      {kinds.length > most && ` ${texts.andMore({ count: kinds.length - most })}`}
    </>
  );
}
