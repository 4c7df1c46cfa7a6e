import type { SoundUnder } from '@northline/telephone-audio/sound-session';
import type { OutboundHttp } from '../../../kernel/resources/outbound-http/outbound-http.ts';
import type { CallAssistant, CallContext } from '../../engines/engines.server.ts';
import type { MediaSession } from '../../media/media-transport.server.ts';
import { fetchSound, type LoopedSound, playLooped, SoundRefused } from './fetched-sound.server.ts';
import { createOfficeSound } from './office-sound.server.ts';

/** Fetched sounds that are kept, and for how long: a change at their address is heard within it. */
const MOST_KEPT = 8;
const KEPT_MS = 600_000;

/** A call that somebody has joined. */
interface PlayedUnder {
  readonly assistant: CallAssistant;
  readonly session: MediaSession;
  readonly log: CallContext['log'];
}

/** What is heard behind the voice of assistants. */
export interface BackgroundSounds {
  /** Whether an address gives a sound. @throws SoundRefused with a sentence where it does not */
  check(url: string): Promise<void>;
  /**
   * Plays what the assistant of a call wishes until the call ends or another assistant takes it over. A sound that cannot be had is
   * a line of the call's log; the call goes on without it. Never rejects.
   */
  play(call: PlayedUnder): Promise<void>;
}

/** Opens them; addresses are called through the outbound client. */
export function openBackgroundSounds(outbound: Pick<OutboundHttp, 'request'>): BackgroundSounds {
  const kept = new Map<string, { readonly until: number; readonly sound: Promise<LoopedSound> }>();
  const soundOf = (url: string): Promise<LoopedSound> => {
    const known = kept.get(url);
    if (known !== undefined && known.until > Date.now()) return known.sound;
    const sound = fetchSound(outbound, url);
    kept.delete(url);
    kept.set(url, { until: Date.now() + KEPT_MS, sound });
    for (const oldest of [...kept.keys()].slice(0, -MOST_KEPT)) kept.delete(oldest);
    sound.catch(() => kept.get(url)?.sound === sound && kept.delete(url));
    return sound;
  };
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
  /** Who was handed a call last: a sound that comes later than the next hand-over is not played. */
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
