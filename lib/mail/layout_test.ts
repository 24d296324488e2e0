import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { BRAND_COLOR, layOutLinkMail } from "./layout.ts";

const PARTS = {
  subject: "Tom & <Jerry>",
  before: "Before",
  action: "Open",
  link: 'https://foyer.test/verify-email?email=a%40b.example&token="T',
  after: "After",
  buttonNotWorking: "Button not working?",
};

Deno.test("the link is on a separate line in the text of an email", () => {
  const { subject, text } = layOutLinkMail(PARTS, "en");
  strictEqual(subject, PARTS.subject);
  strictEqual(text, `Before\n\nOpen:\n${PARTS.link}\n\nAfter\n`);
});

Deno.test("the HTML of an email escapes its texts and shows the link as a button and as text", () => {
  const { html } = layOutLinkMail(PARTS, "en");
  ok(html.includes("<title>Tom &amp; &lt;Jerry&gt;</title>"));
  const link = "https://foyer.test/verify-email?email=a%40b.example&amp;token=&quot;T";
  const shown = [`<a href="${link}" style="`, ">Open</a>", "Button not working?", `>${link}<`];
  const places = shown.map((part) => html.indexOf(part));
  ok(places[0] > 0);
  deepStrictEqual(places, places.toSorted((a, b) => a - b));
});

Deno.test("emails have the brand colour of the site", async () => {
  const styles = await Deno.readTextFile(new URL("../../static/styles.css", import.meta.url));
  strictEqual(BRAND_COLOR, /--brand: (#[0-9a-f]{6});/.exec(styles)?.[1]);
  ok(layOutLinkMail(PARTS, "en").html.includes(`background: ${BRAND_COLOR};`));
});
