import { assistantBusy, type Draft } from './conversation-draft.server.ts';
import { expectedWords } from './turn-rules.server.ts';

/** A caller who has spoken for so long is given a sign that one listens, and so long after it another; milliseconds. */
const LONG_MS = 3000;
const AGAIN_MS = 6000;
/** So much voice behind a pause: the caller speaks on, so that the sign comes at no end of a turn. */
const SPEAKS_ON_MS = 200;

/**
 * A sign that the assistant listens (`backchannelingEnabled`), for a caller who tells something long and speaks on after a pause.
 * It takes no turn: nothing of it is in the record, and nobody can interrupt it. Whoever reads out a number or spells is left alone.
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
