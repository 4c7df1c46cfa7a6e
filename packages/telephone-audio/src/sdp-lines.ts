import type { ServiceError } from '@northline/service-error/service-error';

const MAX_DESCRIPTION = 64 * 1024;
const MAX_LINES = 1000;
const MAX_LINE = 2048;

/**
 * The lines of a session description, within limits for its length and lines (RFC 8866 §5, §9).
 *
 * @param refusal makes the error from the end of a sentence that begins "The offer" or "The answer"
 * @throws what `refusal` makes
 */
export function sdpLines(description: string, refusal: (what: string) => ServiceError): string[] {
  if (description.length > MAX_DESCRIPTION) throw refusal('is longer than 64 KiB');
  const lines = description.split(/\r?\n/).filter((line) => line !== '');
  if (lines.length > MAX_LINES) throw refusal('has too many lines');
  if (lines[0] !== 'v=0') throw refusal('does not begin with v=0');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are not allowed (RFC 8866 §9)
  if (lines.some((line) => line.length > MAX_LINE || !/^[a-z]=[^\x00-\x08\x0b-\x1f]*$/.test(line)))
    throw refusal('has a line that is no SDP');
  return lines;
}
