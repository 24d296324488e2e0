import { type Language, textsIn } from "../texts/texts.ts";

/** The parts of a User-Agent header that name a browser. The first match counts: browsers also claim to be others. */
const BROWSERS: [RegExp, string][] = [
  [/\b(Edg|EdgA|EdgiOS|Edge)\//, "Edge"],
  [/\b(OPR|OPT|OPX|Opera)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bVivaldi\//, "Vivaldi"],
  [/\bYaBrowser\//, "Yandex Browser"],
  [/\b(DuckDuckGo|Ddg)\//, "DuckDuckGo"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(Chrome|HeadlessChrome|Chromium|CriOS)\//, "Chrome"],
  [/\b(MSIE |Trident\/)/, "Internet Explorer"],
  [/\bVersion\/.*\bSafari\//, "Safari"],
];

const SYSTEMS: [RegExp, string][] = [
  [/\biPad\b/, "iPad"],
  [/\b(iPhone|iPod)\b/, "iPhone"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\b(Macintosh|Mac OS X)\b/, "Mac"],
  [/\b(Linux|X11)\b/, "Linux"],
];

/** The systems of phones and tablets. */
const PHONES = ["iPad", "iPhone", "Android"];

/** Crawlers, which also claim to be browsers. */
const CRAWLER = /bot\b|crawler|spider/i;

/** Names the browser and system, such as "Firefox on Windows". Crawlers and unknown clients are "Unknown app". */
export function deviceName(userAgent: string | null, language: Language): string {
  const texts = textsIn(language).activity;
  const { browser, system } = partsOf(userAgent);
  if (browser === undefined) return texts.program;
  return system === undefined ? browser : texts.browserOn({ browser, system });
}

/** Whether both are the same browser on the same system, in any version. */
export function isSameBrowser(userAgent: string | null, other: string | null): boolean {
  const [one, two] = [partsOf(userAgent), partsOf(other)];
  return one.browser === two.browser && one.system === two.system;
}

/** The browser, and its system. Neither of crawlers and unknown clients. */
function partsOf(userAgent: string | null): { browser?: string; system?: string } {
  if (userAgent === null || CRAWLER.test(userAgent)) return {};
  const browser = firstMatch(BROWSERS, userAgent);
  return browser === undefined ? {} : { browser, system: firstMatch(SYSTEMS, userAgent) };
}

function firstMatch(names: [RegExp, string][], userAgent: string): string | undefined {
  return names.find(([pattern]) => pattern.test(userAgent))?.[1];
}

/** Returns what kind of device a client runs on, as far as its User-Agent header says so. */
export function deviceKind(userAgent: string | null): "computer" | "phone" | "program" {
  const { browser, system = "" } = partsOf(userAgent);
  if (browser === undefined) return "program";
  return PHONES.includes(system) ? "phone" : "computer";
}
