/** What a value may be divided by. */
export type Label = "route" | "method" | "status" | "outcome";

/** A metric, as Prometheus describes it. */
export interface Family {
  name: string;
  kind: "counter" | "gauge" | "histogram";
  help: string;
  labels?: readonly Label[];
  /** The upper bounds of the buckets of a histogram. */
  bounds?: readonly number[];
}

const REQUEST_LABELS = ["route", "method", "status"] as const;

/** All metrics, in the order in which they are written. */
export const FAMILIES = {
  requests: {
    name: "foyer_http_requests_total",
    kind: "counter",
    help: "Requests that were answered. The route other has static files and unknown paths.",
    labels: REQUEST_LABELS,
  },
  requestSeconds: {
    name: "foyer_http_request_duration_seconds",
    kind: "histogram",
    help: "The time from a request to the head of its response.",
    labels: REQUEST_LABELS,
    bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  },
  signIns: {
    name: "foyer_sign_ins_total",
    kind: "counter",
    help: "Logins: success, second_step (a code is asked for), wrong (proof), refused (account), limited, failed.",
    labels: ["method", "outcome"],
  },
  emails: {
    name: "foyer_emails_total",
    kind: "counter",
    help: "Attempts to send an email: sent, retried (later) or failed (given up).",
    labels: ["outcome"],
  },
  emailsWaiting: {
    name: "foyer_emails_waiting",
    kind: "gauge",
    help: "Emails in the queue of all instances, up to 100000.",
  },
  oldestEmail: {
    name: "foyer_emails_oldest_waiting_seconds",
    kind: "gauge",
    help: "The age of the oldest email in the queue, 0 if it is empty.",
  },
  webhooks: {
    name: "foyer_webhooks_total",
    kind: "counter",
    help: "Attempts to deliver to a webhook: sent, retried (later) or failed (given up).",
    labels: ["outcome"],
  },
  logouts: {
    name: "foyer_logouts_total",
    kind: "counter",
    help: "Attempts to tell an app that a session has ended: sent, retried (later) or failed (given up).",
    labels: ["outcome"],
  },
  databaseUp: {
    name: "foyer_database_up",
    kind: "gauge",
    help: "Whether the database responds and can write: 1 or 0.",
  },
  connectionsMax: {
    name: "foyer_database_connections_max",
    kind: "gauge",
    help: "The most connections to the database that this process opens.",
  },
  connectionsUsed: { name: "foyer_database_connections_used", kind: "gauge", help: "Connections that are in use." },
  connectionsWaited: {
    name: "foyer_database_connections_waited_for",
    kind: "gauge",
    help: "Queries and transactions that wait for a connection.",
  },
  storeUp: { name: "foyer_store_up", kind: "gauge", help: "Whether the object store takes objects: 1 or 0." },
  conversionsRunning: {
    name: "foyer_image_conversions_running",
    kind: "gauge",
    help: "Images that are being converted.",
  },
  conversionsWaiting: {
    name: "foyer_image_conversions_waiting",
    kind: "gauge",
    help: "Images that wait for a converter.",
  },
  eventLoopDelay: {
    name: "foyer_event_loop_delay_seconds",
    kind: "histogram",
    help: "How late a timer is that is due every 0.1 seconds in each isolate.",
    bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
  },
  residentMemory: {
    name: "foyer_memory_resident_bytes",
    kind: "gauge",
    help: "The memory of the service process, without image converters.",
  },
  heapMemory: { name: "foyer_memory_heap_bytes", kind: "gauge", help: "The used heaps of all isolates." },
  isolates: {
    name: "foyer_isolates",
    kind: "gauge",
    help: "Isolates that have answered. The others are busy or gone.",
  },
  startedAt: {
    name: "foyer_start_time_seconds",
    kind: "gauge",
    help: "When the process started, in seconds since 1970.",
  },
} as const satisfies Record<string, Family>;

export type FamilyKey = keyof typeof FAMILIES;

/** What joins the labels of a value. No label contains it. */
export const LABEL_SEPARATOR = "\n";

/**
 * Values of metrics by their labels. A histogram has the number of observations in each bucket, the last of which has
 * no bound, and then their sum.
 */
export type Values = { [Key in FamilyKey]?: Record<string, number[]> };
