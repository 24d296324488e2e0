/** A color in each mode. */
export interface Shades {
  light: string;
  dark: string;
}

/**
 * The colors that do not follow the brand, by their names in static/styles.css. Emails, browsers' bars and icons need
 * them as values.
 */
export const SURFACES = {
  background: { light: "#faf7f2", dark: "#191815" },
  surface: { light: "#ffffff", dark: "#23211d" },
  text: { light: "#26221d", dark: "#f0ebe3" },
  "text-soft": { light: "#655d53", dark: "#b9b0a3" },
  line: { light: "#8b8277", dark: "#857c70" },
  "line-soft": { light: "#e8e1d6", dark: "#37332d" },
  sunken: { light: "#f4efe7", dark: "#2a2823" },
  good: { light: "#17693f", dark: "#7fd1a0" },
  "good-surface": { light: "#e6f4ec", dark: "#15301f" },
  warn: { light: "#7a4d00", dark: "#f0c878" },
  "warn-surface": { light: "#fff3d6", dark: "#33270f" },
  danger: { light: "#b3261e", dark: "#ffb4ab" },
  "danger-surface": { light: "#fdeceb", dark: "#3a1d1b" },
} satisfies Record<string, Shades>;
