/** The brand as the operator states it. */
export interface BrandSettings {
  name: string;
  /** Where the logo leads, instead of to `/`. */
  homeUrl?: string;
  color?: string;
  colorDark?: string;
  /** Paths of files, or https URLs. */
  logo?: string;
  logoDark?: string;
  /** Whether pages on which people log in are a door, or plain cards. Default: threshold. */
  style?: "threshold" | "plain";
  /** The path of a style sheet. */
  css?: string;
  supportEmail?: string;
  helpUrl?: string;
  termsUrl?: string;
  privacyUrl?: string;
}

/** The files that the settings name, once they are read. */
export interface NamedFiles {
  logo?: Uint8Array<ArrayBuffer>;
  logoDark?: Uint8Array<ArrayBuffer>;
  css?: string;
}
