import { parse } from 'yaml';
import { serveWorkerRequests } from '../../kernel/concurrency/worker-server.server.ts';

/** What a file says, or the first line of the parser's complaint. */
export type ParsedFile = { readonly value: unknown } | { readonly complaint: string };

/** Parses YAML in a process that can be ended: the time that the parser takes grows with the square of some files. */
serveWorkerRequests(async ({ text }: { text: string }): Promise<ParsedFile> => {
  try {
    // No aliases: a small file could stand for an endless one.
    return { value: parse(text, { maxAliasCount: 0, prettyErrors: true }) };
  } catch (error) {
    return { complaint: (error as Error).message.split('\n')[0] ?? '' };
  }
});
