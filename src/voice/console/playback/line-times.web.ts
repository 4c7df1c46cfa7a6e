import type { TranscriptMessage } from '../call-list.contract.ts';

/** From when to when a line is heard in a recording, seconds. */
export interface LineTime {
  readonly from: number;
  readonly to: number;
}

/** Whether a line can be heard; tool calls and what only the assistant was told cannot. */
const isSpoken = ({ role, kind }: TranscriptMessage): boolean =>
  role === 'user' || role === 'bot' || kind === 'colleague';

/**
 * When each line is heard in a recording that began at `began` (milliseconds since 1970). A record says only
 * when a line ended, so a line is taken to begin where the one before it ended; a pause belongs to the answer
 * that follows.
 *
 * @returns undefined for a line that cannot be heard, or was said before the recording began
 */
export function lineTimes(
  messages: readonly TranscriptMessage[],
  began: number,
): readonly (LineTime | undefined)[] {
  let from = 0;
  return messages.map((message) => {
    const to = message.endTime === undefined ? 0 : (message.endTime - began) / 1000;
    if (!isSpoken(message) || to <= from) return undefined;
    const time = { from, to };
    from = to;
    return time;
  });
}

/** The index of the line that is heard at a second; -1 for none. */
export const lineAt = (times: readonly (LineTime | undefined)[], second: number): number =>
  times.findIndex((time) => time !== undefined && time.from <= second && second < time.to);

/** Most characters that are easily read at once, on two lines of a picture. */
const MOST_SHOWN = 84;

/**
 * Captions of a recording as WebVTT (https://www.w3.org/TR/webvtt1/): one sentence at a time, a long one in
 * pieces, each for as long as its share of the characters.
 */
export function captions(
  messages: readonly TranscriptMessage[],
  times: readonly (LineTime | undefined)[],
): string {
  const cues = messages.flatMap(({ message }, line) => {
    const time = times[line];
    if (time === undefined) return [];
    const pieces = inPieces(message);
    const letters = pieces.reduce((sum, { length }) => sum + length, 0);
    let from = time.from;
    return pieces.map((piece) => {
      const to = from + ((time.to - time.from) * piece.length) / letters;
      const cue = `${stamp(from)} --> ${stamp(to)}\n${escaped(piece)}\n`;
      from = to;
      return cue;
    });
  });
  return ['WEBVTT\n', ...cues].join('\n');
}

/** Sentences; a long one in pieces of about the same length. */
function inPieces(text: string): string[] {
  return text
    .trim()
    .split(/(?<=[.!?])\s+/)
    .filter((sentence) => sentence !== '')
    .flatMap((sentence) => {
      const pieces = Math.ceil(sentence.length / MOST_SHOWN);
      // A word across the end of a piece belongs to that piece.
      const share = sentence.length / pieces + MOST_SHOWN / 10;
      return wrapped(sentence, Math.min(share, MOST_SHOWN));
    });
}

function wrapped(text: string, most: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= most) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** Seconds as `00:01:05.250`. */
function stamp(seconds: number): string {
  const whole = Math.round(seconds * 1000);
  const two = (value: number, within: number): string => String(Math.floor(value) % within).padStart(2, '0');
  const [hours, minutes, rest] = [whole / 3_600_000, whole / 60_000, whole / 1000];
  return `${two(hours, 1000)}:${two(minutes, 60)}:${two(rest, 60)}.${String(whole % 1000).padStart(3, '0')}`;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
