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

/** Crawlers, which also claim to be browsers. */
const CRAWLER = /bot\b|crawler|spider/i;

/** Names the browser and system, such as "Firefox on Windows". Crawlers and unknown clients are "Unknown app". */
export function deviceName(userAgent: string | null, language: Language): string {
  const texts = textsIn(language).activity;
  if (userAgent === null || CRAWLER.test(userAgent)) return texts.program;
  const browser = firstMatch(BROWSERS, userAgent);
  if (browser === undefined) return texts.program;
  const system = firstMatch(SYSTEMS, userAgent);
  return system === undefined ? browser : texts.browserOn({ browser, system });
}

function firstMatch(names: [RegExp, string][], userAgent: string): string | undefined {
  return names.find(([pattern]) => pattern.test(userAgent))?.[1];
}

/** Returns what kind of device a client runs on, as far as its User-Agent header says so. */
export function deviceKind(userAgent: string | null): "computer" | "phone" | "program" {
  if (userAgent === null || CRAWLER.test(userAgent) || firstMatch(BROWSERS, userAgent) === undefined) return "program";
  return /\b(iPhone|iPod|iPad|Android)\b/.test(userAgent) ? "phone" : "computer";
}
