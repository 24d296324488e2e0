import type { Brand } from "../../brand/brand.ts";
import type { Language, MailFrame } from "../../texts/texts.ts";

/** What a button or a link does, and where it leads. */
export interface MailLink {
  text: string;
  link: string;
}

/** A fact as a row of the table: its label, and its value. */
export type MailFact = [label: string, value: string];

/** The parts of an email, from the top. */
export interface MailParts {
  subject: string;
  /** Does not repeat the subject, which stands above it. */
  heading: string;
  /** The first sentence. Lists of emails show it beside the subject. */
  summary: string;
  details: string[];
  facts: MailFact[];
  code?: string;
  /** What most readers want to do. */
  action?: MailLink;
  /** What only a reader who did not do this wants: a red button, or a link if there is an action. */
  alarm?: MailLink;
  after: string;
  /** Introduces the bare link, for mail programs in which the button does not work. */
  buttonNotWorking: string;
  /** The operator's own pages, such as the help. */
  links: MailLink[];
  /** Says to whom and by whom it is sent. */
  sentTo: string;
  /** What the operator adds at the end. */
  footer?: string;
}

/** Where an email comes from. */
export interface MailSite {
  brand: Brand;
  baseUrl: string;
  language: Language;
  /** What the operator puts around the content, instead of ours. */
  frame?: MailFrame;
}
