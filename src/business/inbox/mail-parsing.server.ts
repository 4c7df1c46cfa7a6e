import { programFile } from '../../kernel/concurrency/program-file.ts';
import { askOnce } from '../../kernel/concurrency/worker-client.server.ts';
import type { ParsedMail } from './mail-parsing-process.server.ts';

const ENTRY = programFile('src/business/inbox/mail-parsing-process.server.ts');
/** A mail of the largest size takes some two seconds. */
const PATIENCE_MS = 60_000;
const HEAP_MB = 512;

/**
 * Takes a mail apart, in a process of its own.
 *
 * @param raw the mail as it came (RFC 5322)
 * @returns undefined for a mail that cannot be parsed
 */
export function parseMail(raw: Buffer): Promise<ParsedMail | undefined> {
  const request = { raw: new Uint8Array(raw) };
  return askOnce<typeof request, ParsedMail>(ENTRY, request, {
    patienceMs: PATIENCE_MS,
    heapMb: HEAP_MB,
  }).catch(() => undefined);
}
