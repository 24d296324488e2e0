import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** Says that the connection is lost, as long as it is, and that `kept` is not. */
export function ConnectionNotice({ kept }: { kept: string }) {
  const isOffline = useSignal(false);
  useEffect(() => {
    const look = () => isOffline.value = !navigator.onLine;
    look();
    addEventListener("online", look);
    addEventListener("offline", look);
    return () => {
      removeEventListener("online", look);
      removeEventListener("offline", look);
    };
  }, []);
  return (
    <div class="connection" role="status">
      {isOffline.value && <p>You are offline. {kept} stays here; send it when the connection is back.</p>}
    </div>
  );
}
