import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** Shows a text while the browser is offline. It takes the focus from forms that fail meanwhile. */
export function ConnectionNotice({ offlineText }: { offlineText: string }) {
  const isOffline = useSignal(false);
  useEffect(() => {
    const update = () => isOffline.value = !navigator.onLine;
    update();
    addEventListener("online", update);
    addEventListener("offline", update);
    return () => {
      removeEventListener("online", update);
      removeEventListener("offline", update);
    };
  }, []);
  return (
    <div class="connection" role="status" tabindex={-1}>
      {isOffline.value && <p>{offlineText}</p>}
    </div>
  );
}
