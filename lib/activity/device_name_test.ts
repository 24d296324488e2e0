import { strictEqual } from "node:assert/strict";
import { deviceKind, deviceName } from "./device_name.ts";
import { ENGLISH } from "../texts/languages.ts";

const KHTML = "(KHTML, like Gecko)";
const WEBKIT = `AppleWebKit/537.36 ${KHTML}`;
const IOS = `AppleWebKit/605.1.15 ${KHTML}`;
const WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)";
const MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)";
const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X)";

const CASES: [userAgent: string | null, name: string][] = [
  [`${WINDOWS} ${WEBKIT} Chrome/126.0.0.0 Safari/537.36`, "Chrome on Windows"],
  [`${MAC} ${WEBKIT} Chrome/126.0.0.0 Safari/537.36`, "Chrome on Mac"],
  [`Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} Chrome/126.0.0.0 Safari/537.36`, "Chrome on Linux"],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/126.0.0.0 Safari/537.36`, "Chrome on ChromeOS"],
  [`Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/126.0.0.0 Mobile Safari/537.36`, "Chrome on Android"],
  [`${IPHONE} ${IOS} CriOS/126.0.6478.35 Mobile/15E148 Safari/604.1`, "Chrome on iPhone"],
  [`${WINDOWS} ${WEBKIT} Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0`, "Edge on Windows"],
  [
    `Mozilla/5.0 (Linux; Android 10; HD1913) ${WEBKIT} Chrome/125.0.0.0 Mobile Safari/537.36 EdgA/125.0.2535.51`,
    "Edge on Android",
  ],
  [`${IPHONE} ${IOS} Version/17.0 EdgiOS/125.2535.60 Mobile/15E148 Safari/605.1.15`, "Edge on iPhone"],
  [`${WINDOWS} ${WEBKIT} Chrome/125.0.0.0 Safari/537.36 OPR/111.0.0.0`, "Opera on Windows"],
  [
    `Mozilla/5.0 (Linux; Android 14; SM-S911B) ${WEBKIT} SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36`,
    "Samsung Internet on Android",
  ],
  [`${WINDOWS} ${WEBKIT} Chrome/126.0.0.0 Safari/537.36 Vivaldi/6.8.3381.44`, "Vivaldi on Windows"],
  [
    `${WINDOWS} ${WEBKIT} Chrome/124.0.0.0 YaBrowser/24.6.0.0 Safari/537.36`,
    "Yandex Browser on Windows",
  ],
  [`${MAC} ${IOS} Version/17.5 Safari/605.1.15 Ddg/17.5`, "DuckDuckGo on Mac"],
  ["Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0", "Firefox on Windows"],
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:127.0) Gecko/20100101 Firefox/127.0", "Firefox on Mac"],
  ["Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0", "Firefox on Linux"],
  ["Mozilla/5.0 (Android 14; Mobile; rv:127.0) Gecko/127.0 Firefox/127.0", "Firefox on Android"],
  [`${IPHONE} ${IOS} FxiOS/127.0 Mobile/15E148 Safari/605.1.15`, "Firefox on iPhone"],
  [`${MAC} ${IOS} Version/17.5 Safari/605.1.15`, "Safari on Mac"],
  [`${IPHONE} ${IOS} Version/17.5 Mobile/15E148 Safari/604.1`, "Safari on iPhone"],
  [
    `Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) ${IOS} Version/16.6 Mobile/15E148 Safari/604.1`,
    "Safari on iPad",
  ],
  ["Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko", "Internet Explorer on Windows"],
  ["Mozilla/5.0 (PlayStation 5/SmartTV) Gecko/20100101 Firefox/127.0", "Firefox"],
  ["Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "Unknown app"],
  [
    `Mozilla/5.0 ${WEBKIT.replace(")", "; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)")} ` +
    "Chrome/116.0.1938.76 Safari/537.36",
    "Unknown app",
  ],
  ["curl/8.7.1", "Unknown app"],
  ["python-requests/2.32.3", "Unknown app"],
  ["Deno/2.9.6", "Unknown app"],
  ["okhttp/4.12.0", "Unknown app"],
  ["", "Unknown app"],
  [null, "Unknown app"],
];

Deno.test("a device is named by its browser and system, and anything else is a program", () => {
  for (const [userAgent, name] of CASES) strictEqual(deviceName(userAgent, ENGLISH), name, String(userAgent));
});

Deno.test("phones and programs are told apart from computers", () => {
  const kinds = CASES.map(([userAgent, name]) => [name, deviceKind(userAgent)]);
  for (const [name, kind] of kinds) {
    const expected = /Unknown app/.test(name!) ? "program" : /iPhone|iPad|Android/.test(name!) ? "phone" : "computer";
    strictEqual(kind, expected, name!);
  }
  strictEqual(new Set(kinds.map(([, kind]) => kind)).size, 3);
});
