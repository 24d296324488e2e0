/** The names of the pictures in static/icons.svg. */
export type IconName =
  | "computer"
  | "phone"
  | "program"
  | "key"
  | "shield"
  | "mail"
  | "person"
  | "link"
  | "warning"
  | "file"
  | "enter"
  | "leave";
