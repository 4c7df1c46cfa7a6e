import type { SoundUnder } from '@northline/telephone-audio/sound-session';
import type { OutboundHttp } from '../../../kernel/resources/outbound-http/outbound-http.ts';
import type { CallAssistant, CallContext } from '../../engines/engines.server.ts';
import type { MediaSession } from '../../media/media-transport.server.ts';
import { fetchSound, playLooped, SoundRefused } from './fetched-sound.server.ts';
import { createOfficeSound } from './office-sound.server.ts';

/**
 * Most fetched sounds that are kept, and for how long: a change at their address is heard within that time.
 */
const MOST_KEPT = 8;
const KEPT_MS = 600_000;

/** A call that the sound is played in. */
interface PlayedUnder {
  readonly assistant: CallAssistant;
  readonly session: MediaSession;
  readonly log: CallContext['log'];
}

/** The sounds behind the voices of assistants. */
export interface BackgroundSounds {
  /** Checks that an address serves a usable sound. @throws SoundRefused with a sentence where it does not */
  check(url: string): Promise<void>;
  /**
   * Plays the sound that the assistant of a call asks for, until the call ends or another assistant takes
   * over. If the sound is not available, the call's log says so and the call goes on without it. Never
   * rejects.
   */
  play(call: PlayedUnder): Promise<void>;
}

/** Keeps the last fetched sounds for ten minutes; a fetch that fails is begun again by the next call. */
export function keepSounds(
  fetched: (url: string) => Promise<Int16Array>,
): (url: string) => Promise<Int16Array> {
  const kept = new Map<string, { readonly until: number; readonly sound: Promise<Int16Array> }>();
  return (url) => {
    const known = kept.get(url);
    if (known !== undefined && known.until > Date.now()) return known.sound;
    const sound = fetched(url);
    kept.delete(url);
    kept.set(url, { until: Date.now() + KEPT_MS, sound });
    for (const oldest of [...kept.keys()].slice(0, -MOST_KEPT)) kept.delete(oldest);
    sound.catch(() => kept.get(url)?.sound === sound && kept.delete(url));
    return sound;
  };
}

/** Opens the background sounds; they are fetched with the outbound client. */
export function openBackgroundSounds(outbound: Pick<OutboundHttp, 'request'>): BackgroundSounds {
  const soundOf = keepSounds((url) => fetchSound(outbound, url));
  async function soundBehind(
    { backgroundSound = 'off' }: CallAssistant,
    log: PlayedUnder['log'],
  ): Promise<SoundUnder | undefined> {
    if (backgroundSound === 'off') return undefined;
    if (backgroundSound === 'office') return createOfficeSound();
    try {
      return playLooped(await soundOf(backgroundSound));
    } catch (error) {
      const why = error instanceof SoundRefused ? error.message : String(error);
      log('WARN', `backgroundSound: the call goes on without it. ${why}`);
      return undefined;
    }
  }
  /** The assistant that has the call now: a sound that arrives after a further hand-over is not played. */
  const wished = new WeakMap<MediaSession, CallAssistant>();
  return {
    async check(url) {
      await fetchSound(outbound, url);
    },
    async play({ assistant, session, log }) {
      const hadAnother = wished.has(session);
      wished.set(session, assistant);
      const sound = await soundBehind(assistant, log);
      if (wished.get(session) !== assistant) return;
      if (sound !== undefined || hadAnother) session.playUnder(sound);
    },
  };
}
