import { render } from "preact";
import { Face } from "../ui/Avatar.tsx";

/** Shows a new photo, or the initials of someone without one, in the header, which no island renders. */
export function showInHeader(name: string, src: string | null): void {
  render(<Face name={name} src={src} size={40} />, document.querySelector(".site-header .avatar")!);
}
