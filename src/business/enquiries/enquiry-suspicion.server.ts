import type { Queries } from '../../kernel/resources/database/database.ts';
import type { ProofResult } from './proof-of-work/proof-of-work.server.ts';

/** Nobody fills in the form faster, milliseconds. */
const SHORTEST_MS = 2000;
/** A text with more links than this is advertising. */
const MOST_LINKS = 3;
/** Most enquiries that people send from one address in ten minutes, and with the same text in a day. */
const MOST_FROM_ADDRESS = 5;
const MOST_OF_TEXT = 2;

/** Clients other than our pages send no proof, so this mark alone does not hold an enquiry back. */
export const NO_PROOF = 'no proof of work';

/** What is known about an enquiry besides its text. Hashes are keyed, so that addresses are not stored. */
export interface EnquirySigns {
  readonly nickname: string;
  readonly elapsedMs: number | undefined;
  readonly text: string;
  readonly addressHash: string;
  readonly textHash: string;
  readonly work: ProofResult;
}

/**
 * Why an enquiry may be advertising; an empty list when it looks like a person's. A suspicious enquiry is
 * stored and marked, never dropped (docs/security-attacks.md, attack 38).
 */
export async function reasonsToSuspect(queries: Queries, signs: EnquirySigns): Promise<string[]> {
  const { work } = signs;
  const before = await queries.one(
    `select count(*) filter (where address_hash = $1 and created_at > now() - interval '10 minutes') as from_address,
            count(*) filter (where text_hash = $2) as of_text, count(*) filter (where proof_hash = $3) as of_proof
     from public.enquiries
     where created_at > now() - interval '1 day' and (address_hash = $1 or text_hash = $2 or proof_hash = $3)`,
    [signs.addressHash, signs.textHash, work.is === 'good' ? work.hash : null],
  );
  const links = signs.text.match(/https?:\/\/|www\./gi)?.length ?? 0;
  const found: [string, boolean][] = [
    ['hidden field filled', signs.nickname !== ''],
    ['sent too fast', Math.min(signs.elapsedMs ?? Infinity, formAge(work)) < SHORTEST_MS],
    [NO_PROOF, work.is === 'missing'],
    ['wrong proof of work', work.is === 'wrong' || Number(before.of_proof) > 0],
    ['many links', links > MOST_LINKS],
    ['many from one address', Number(before.from_address) >= MOST_FROM_ADDRESS],
    ['same text again', Number(before.of_text) >= MOST_OF_TEXT],
  ];
  return found.filter(([, applies]) => applies).map(([reason]) => reason);
}

/** Whether the reasons hold an enquiry back from the automation and prevent an acknowledgement. */
export function isSerious(reasons: readonly string[]): boolean {
  return reasons.some((reason) => reason !== NO_PROOF);
}

/** Measured by our own clock, whatever the page says. */
const formAge = (work: ProofResult): number => (work.is === 'good' ? work.ageMs : Infinity);
