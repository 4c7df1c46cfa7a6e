import { inTime } from '../../kernel/resources/bounded-wait.ts';
import type { OutboundHttp } from '../../kernel/resources/outbound-http/outbound-http.ts';
import type { CallContext } from '../engines/engines.server.ts';
import { gainToVoice } from '../media/loudness.server.ts';
import { keepSounds } from './background/background-sound.server.ts';
import { fetchPlayable, onceLimits, SoundRefused } from './background/fetched-sound.server.ts';

/** Limits for a sound that is played as a first message; it is as loud as the voice that follows it. */
const PLAYED = { ...onceLimits(60, 6, 'one minute'), gain: gainToVoice };
/** How long a caller waits for a sound before a sentence is said in its place, ms. */
const PATIENCE_MS = 2500;

const LONGEST_NAME = 100;

/** A first message as the call's record shows it, and its sound; without a sound the text is said. */
export interface FirstSound {
  readonly text: string;
  readonly pcm?: Int16Array;
}

/** The sounds of one call's assistants, by their `firstMessage`; undefined for texts that are said. */
export type FirstSoundOf = (firstMessage: string) => (() => Promise<FirstSound>) | undefined;

/** One assistant's `firstMessage` as its author wrote it, and as it is filled for a call. */
export interface FirstMessage {
  readonly written: string;
  readonly filled: string;
}

/** What happens to the sounds of a call. */
interface FirstSoundOptions {
  readonly brand: string;
  /** Whether the caller hears nothing, and reads a sentence in place of the sound. */
  readonly written: boolean;
  readonly log: CallContext['log'];
}

/** The sounds that assistants play as their first message. */
export interface FirstSounds {
  /** The warning about an address that serves no such sound; undefined where it does, and for texts that are said. */
  warning(firstMessage: string): Promise<string | undefined>;
  /** Begins to fetch the first sound of a call, and finds those of its other assistants. */
  of(messages: readonly FirstMessage[], options: FirstSoundOptions): FirstSoundOf;
}

/**
 * Whether an assistant's `firstMessage` is the address of a sound. Its host stands in the text as it was
 * written: a value that a visitor fills in never decides which server we ask.
 */
export const isSoundAddress = (written: string): boolean =>
  /^https?:\/\/[^\s/{}]+(\/\S*)?$/i.test(written.trim().replaceAll(/\{\{.*?\}\}/g, '{}'));

/** Opens the sounds of first messages; they are fetched with the outbound client and its address checks. */
export function openFirstSounds(outbound: Pick<OutboundHttp, 'request'>): FirstSounds {
  const fetched = keepSounds((url) => fetchPlayable(outbound, url, PLAYED));
  return {
    async warning(text) {
      if (!isSoundAddress(text) || text.includes('{{')) return undefined;
      return fetched(text.trim()).then(
        () => undefined,
        (error: unknown) => `firstMessage: callers hear a sentence in its place. ${reasonOf(error)}`,
      );
    },
    of(messages, { brand, written, log }) {
      const addresses = new Set(
        messages.filter((one) => isSoundAddress(one.written)).map(({ filled }) => filled),
      );
      const instead = { text: `Hello, this is the AI assistant of ${brand}. How can I help you?` };
      const sound = async (address: string): Promise<FirstSound> => {
        try {
          if (written) throw new SoundRefused('not-audio', 'Nothing is heard in a written call.');
          return { text: soundTitle(address), pcm: await inTime(PATIENCE_MS, fetched(address), late) };
        } catch (error) {
          log('WARN', `firstMessage: a sentence took the place of the sound. ${reasonOf(error)}`);
          return instead;
        }
      };
      const [first] = messages;
      if (first !== undefined && addresses.has(first.filled) && !written)
        fetched(first.filled.trim()).catch(() => {});
      return (text) => (addresses.has(text) ? () => sound(text.trim()) : undefined);
    },
  };
}

const late = (): SoundRefused => new SoundRefused('timeout', 'It did not come in time.');

const reasonOf = (error: unknown): string =>
  error instanceof SoundRefused ? error.message : `It cannot be played: ${String(error)}`;

/** What people read where a sound was played: its name, without the address and its query, which may hold keys. */
export function soundTitle(address: string): string {
  const [last = ''] = URL.canParse(address) ? new URL(address).pathname.split('/').slice(-1) : [];
  if (last === '') return 'A sound was played.';
  let name = last;
  try {
    name = decodeURIComponent(last);
  } catch {
    // It stays as it is written.
  }
  return `Sound: ${name.slice(0, LONGEST_NAME)}`;
}
