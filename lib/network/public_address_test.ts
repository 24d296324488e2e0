import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { addressInUrl, isPublicAddress } from "./public_address.ts";

const PUBLIC = [
  "1.1.1.1",
  "93.184.215.14",
  "168.63.129.15",
  "168.63.129.17",
  "172.15.255.255",
  "172.32.0.1",
  "2606:4700:4700::1111",
  "2a00:1450::1",
];
const INSIDE = [
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "100.64.0.1",
  "127.0.0.1",
  "127.255.255.254",
  "100.100.100.200",
  "161.26.0.10",
  "166.8.0.1",
  "166.11.255.255",
  "168.63.129.16",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.1",
  "192.0.0.192",
  "192.0.2.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::7f00:1",
  "::ffff:127.0.0.1",
  "::ffff:10.0.0.1",
  "::ffff:168.63.129.16",
  "::ffff:0:10.0.0.1",
  "64:ff9b::a00:1",
  "100::1",
  "2001:db8::1",
  "2001::1",
  "2002:7f00:1::",
  "fc00::1",
  "fd00:ec2::254",
  "fd12:3456::1",
  "fe80::1",
  "fec0::1",
  "ff02::1",
];

Deno.test("only addresses of the public Internet are public", () => {
  deepStrictEqual(PUBLIC.filter((address) => !isPublicAddress(address)), []);
  deepStrictEqual(INSIDE.filter(isPublicAddress), []);
  for (const text of ["", "localhost", "example.com", "1.1.1.1.", "[::1]", "1.1.1.1/32"]) {
    strictEqual(isPublicAddress(text), false, text);
  }
});

Deno.test("the address in a URL is found in every form that its parser reads", () => {
  const addresses = {
    "https://2130706433/": "127.0.0.1",
    "https://0x7f.1/": "127.0.0.1",
    "https://017700000001/": "127.0.0.1",
    "https://127.1./": "127.0.0.1",
    "https://[::ffff:127.0.0.1]/": "::ffff:7f00:1",
    "https://1.1.1.1:8443/": "1.1.1.1",
    "https://example.com/": null,
    "https://localhost/": null,
  };
  for (const [url, address] of Object.entries(addresses)) strictEqual(addressInUrl(new URL(url)), address, url);
});
