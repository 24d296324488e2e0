import type { ComponentChildren } from "preact";
import { asset } from "fresh/runtime";
import type { IconName } from "../../schemas/icon_name.ts";

interface RowProps {
  icon: IconName;
  /** A heading or a paragraph. */
  title: ComponentChildren;
  tag?: ComponentChildren;
  /** What can be done with it, at the end of the row. */
  action?: ComponentChildren;
  /** Details below the title. */
  children: ComponentChildren;
}

/** An entry of a list with the class `rows`. */
export function Row({ icon, title, tag, action, children }: RowProps) {
  return (
    <li>
      <svg class="icon" aria-hidden="true">
        <use href={`${asset("/icons.svg")}#${icon}`} />
      </svg>
      <div>
        <div class="row-title">
          {title}
          {tag}
        </div>
        {children}
      </div>
      {action}
    </li>
  );
}
