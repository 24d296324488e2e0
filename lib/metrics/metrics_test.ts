import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { parseMetrics, sumOf } from "../../tests/support/metrics_text.ts";
import { FAMILIES } from "./families.ts";
import { createMetrics } from "./metrics.ts";
import { prometheusText } from "./prometheus_text.ts";

const REQUEST = { route: "/api/users/:id", method: "GET", status: 200, seconds: 0.02 };

Deno.test("requests are counted and timed by route, method and status", () => {
  const metrics = createMetrics();
  for (const seconds of [0.0049, 0.005, 0.0051, 2.5, 11]) metrics.countRequest({ ...REQUEST, seconds });
  metrics.countRequest({ ...REQUEST, status: 404 });
  const families = parseMetrics(prometheusText(metrics.values()));
  const labels = { route: "/api/users/:id", method: "GET", status: "200" };
  strictEqual(sumOf(families, "foyer_http_requests_total", labels), 5);
  strictEqual(sumOf(families, "foyer_http_requests_total"), 6);
  const name = "foyer_http_request_duration_seconds";
  const buckets = ["0.005", "0.01", "1", "2.5", "10", "+Inf"].map((le) =>
    sumOf(families, `${name}_bucket`, { ...labels, le })
  );
  deepStrictEqual(buckets, [2, 3, 3, 4, 4, 5]);
  ok(Math.abs(sumOf(families, `${name}_sum`, labels) - 13.515) < 1e-9);
});

Deno.test("what clients choose does not become a label", () => {
  const metrics = createMetrics();
  metrics.countRequest({ ...REQUEST, route: undefined, method: "ADA@EXAMPLE.COM", status: 404 });
  const [requests] = parseMetrics(prometheusText(metrics.values()));
  deepStrictEqual(requests.samples.map(({ labels }) => labels), [{ route: "other", method: "other", status: "404" }]);
});

Deno.test("deliveries are 0 before the first one, so that it is an increase", () => {
  const families = parseMetrics(prometheusText(createMetrics().values()));
  for (const name of ["foyer_emails_total", "foyer_webhooks_total", "foyer_logouts_total"]) {
    const samples = families.find((family) => family.name === name)!.samples;
    deepStrictEqual(samples.map(({ labels: { outcome }, value }) => [outcome, value]), [
      ["sent", 0],
      ["retried", 0],
      ["failed", 0],
    ]);
  }
});

Deno.test("label values are escaped", () => {
  const route = '/a"b\\c';
  const metrics = createMetrics();
  metrics.countRequest({ ...REQUEST, route });
  strictEqual(parseMetrics(prometheusText(metrics.values()))[0].samples[0].labels.route, route);
});

Deno.test("labels are only those that name no person", () => {
  const labels = Object.values(FAMILIES).flatMap((family) => "labels" in family ? family.labels : []);
  deepStrictEqual([...new Set(labels)].sort(), ["method", "outcome", "route", "status"]);
});
