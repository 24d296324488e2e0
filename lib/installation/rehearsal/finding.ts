import { type RawBuilder, sql } from "kysely";
import type { Db } from "../../../db/schema.ts";

/** Addresses that a finding names. It counts all. */
const PEOPLE_NAMED = 1_000;

/** What an upgrade would do to people, or to the installation. */
export interface Finding {
  /** After “people” if there are some, such as “lose a passkey”. Otherwise a sentence. */
  text: string;
  /** Whether someone would be locked out, or lose something. */
  isRefusal: boolean;
  /** How many people; null if it concerns the installation. */
  count: number | null;
  /** Their addresses, at most a thousand. */
  people: string[];
}

/** A finding about the installation. */
export function aboutAll(text: string, isRefusal: boolean): Finding {
  return { text, isRefusal, count: null, people: [] };
}

/** Names the people whom a query finds, by the addresses that they had before. Returns no finding for nobody. */
export async function peopleOf(
  db: Db,
  people: RawBuilder<{ id: string }>,
  facts: Pick<Finding, "text" | "isRefusal">,
): Promise<Finding[]> {
  const { rows } = await sql<{ email: string; count: string }>`
    select coalesce(u.email, found.id) as email, count(*) over () as count
    from (${people}) as found left join "before".users as u on u.id::text = found.id
    order by 1 limit ${PEOPLE_NAMED}
  `.execute(db);
  if (rows.length === 0) return [];
  return [{ ...facts, count: Number(rows[0].count), people: rows.map(({ email }) => email) }];
}

/** Findings that are made account by account. */
export class FindingList {
  readonly #byText = new Map<string, { isRefusal: boolean; people: Set<string> }>();

  /** Adds a person to those whom a text is about. */
  add(email: string, text: string, isRefusal: boolean): void {
    const finding = this.#byText.get(text) ?? { isRefusal, people: new Set() };
    this.#byText.set(text, finding);
    finding.people.add(email);
  }

  /** Those with the most people come first. */
  findings(): Finding[] {
    const findings = [...this.#byText].map(([text, { isRefusal, people }]) => ({
      text,
      isRefusal,
      count: people.size,
      people: [...people].sort().slice(0, PEOPLE_NAMED),
    }));
    return findings.sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1));
  }
}
