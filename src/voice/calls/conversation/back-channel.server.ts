import { assistantBusy, type Draft } from './conversation-draft.server.ts';
import { expectedWords } from './turn-ending.server.ts';

/** A caller hears `Mm-hm` after speaking for this long, and again after this long; milliseconds. */
const LONG_MS = 3000;
const AGAIN_MS = 6000;
/**
 * Milliseconds of voice after a pause that show that the caller goes on, so that the `Mm-hm` is not at the
 * end of a turn.
 */
const SPEAKS_ON_MS = 200;

/**
 * Shows that the assistant listens (`backchannelingEnabled`) to a caller who has spoken for long and goes on
 * after a pause. This takes no turn: it is not in the record and cannot be interrupted. Callers who read out
 * a number or spell are left alone.
 */
export function showListening({ state, effects }: Draft): void {
  const { utterance, rules, now } = state;
  if (!rules.backChannels || utterance?.resumedMs === undefined || utterance.resumedMs < SPEAKS_ON_MS) return;
  state.utterance = { ...utterance, resumedMs: undefined };
  if (utterance.voicedMs < LONG_MS || now - state.listenedAt < AGAIN_MS) return;
  if (assistantBusy(state) || state.muted || state.taken || expectedWords(state.lastSaid) !== undefined)
    return;
  state.listenedAt = now;
  effects.push({ type: 'back-channel' });
}
