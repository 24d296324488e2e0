import { parseDatabaseUrl, socketPath, unusedParameters, usesTls } from "./database_url.ts";
import ipaddr from "ipaddr.js";
import { isConfidential } from "../network/loopback.ts";

interface Addresses {
  APP_ENV: "development" | "production" | "test";
  EMAIL_API_URL: string;
  BREACHED_PASSWORDS_URL?: string;
  S3_PUBLIC_URL?: string;
  S3_ENDPOINT?: string;
}

/** What production sends there, or people load from there, must not be read or changed in transit. */
const NEED_TLS = ["EMAIL_API_URL", "BREACHED_PASSWORDS_URL", "S3_PUBLIC_URL"] as const;
/** Networks that belong to one operator, as ipaddr.js names them. */
const PRIVATE_RANGES = ["loopback", "private", "uniqueLocal", "linkLocal"];

/** Reports addresses that production reaches without TLS. An object store may be in the operator's own network. */
export function transportProblems(variables: Addresses): string[] {
  if (variables.APP_ENV !== "production") return [];
  const isOpen = (address?: string) => address !== undefined && !isConfidential(address, { isProduction: true });
  const { S3_ENDPOINT } = variables;
  return [
    ...NEED_TLS.filter((name) => isOpen(variables[name])).map((name) => `${name}: must be https in production`),
    ...isOpen(S3_ENDPOINT) && !isPrivateHost(S3_ENDPOINT!)
      ? ["S3_ENDPOINT: must be https in production, unless its host is in a private network"]
      : [],
  ];
}

/** Warns of a connection to the database that others could read, and of what the URL says in vain. */
export function databaseWarnings(
  { isProduction, databaseUrl }: { isProduction: boolean; databaseUrl?: string },
): string[] {
  if (databaseUrl === undefined) return [];
  const url = parseDatabaseUrl(databaseUrl)!;
  const unused = unusedParameters(url).map((name) => `DATABASE_URL: the parameter ${name} changes nothing here`);
  if (!isProduction || usesTls(url) || socketPath(url) !== null || isPrivateHost(url)) return unused;
  return [
    ...unused,
    "DATABASE_URL connects without TLS to a host that is not in a private network: append ?sslmode=verify-full. " +
    "Example: DATABASE_URL=postgres://foyer@db.example.com/foyer?sslmode=verify-full",
  ];
}

/** Whether the host of a URL is in a private network, by its address or its name. */
function isPrivateHost(address: string | URL): boolean {
  const { hostname, searchParams } = new URL(address);
  const host = (searchParams.get("host") ?? hostname).replace(/^\[(.*)\]$/, "$1");
  if (ipaddr.isValid(host)) return PRIVATE_RANGES.includes(ipaddr.process(host).range());
  // Only a private network resolves a name without dots, such as the name of a container.
  return !host.includes(".") || /\.(local|internal|localhost)$/.test(host);
}

/** Second labels below which countries register domains, such as `co.uk`. */
const SECOND_LABELS = ["ac", "co", "com", "edu", "gob", "gov", "gub", "ne", "net", "nom", "or", "org"];

/**
 * Warns where Strict-Transport-Security covers all that an organization has below its domain. A proxy may replace the
 * header, so a start says nothing about it.
 */
export function wholeDomainWarnings(
  { isProduction, baseUrl }: { isProduction: boolean; baseUrl: string },
): string[] {
  const { protocol, hostname } = new URL(baseUrl);
  if (!isProduction || protocol !== "https:" || !isWholeDomain(hostname)) return [];
  return [
    `BASE_URL is the whole domain ${hostname}: for a year, browsers open everything below it by https only ` +
    "(Strict-Transport-Security). Have https there, use a host below it, or replace the header in the proxy. " +
    `Example: BASE_URL=https://accounts.${hostname}`,
  ];
}

/** Whether a name is one that people register. It has two labels, or three with one such as `co.uk`. */
function isWholeDomain(hostname: string): boolean {
  if (ipaddr.isValid(hostname.replaceAll(/[[\]]/g, ""))) return false;
  const labels = hostname.split(".");
  if (labels.length === 2) return true;
  return labels.length === 3 && labels[2].length === 2 && SECOND_LABELS.includes(labels[1]);
}
