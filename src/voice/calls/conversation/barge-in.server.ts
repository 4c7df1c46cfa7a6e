import { assistantBusy, type Draft } from './conversation-draft.server.ts';
import { weigh } from './interruption-words.server.ts';
import { dropReply } from './reply-speech.server.ts';

/**
 * Milliseconds from a hold to silence at the caller's ear: a packet, the jitter buffer, and what is being
 * played. Voice that is certain holds the assistant that much sooner.
 */
const PLAYOUT_DELAY_MS = 110;
/** Probability from which a window is certain to be voice. */
const CERTAIN = 0.8;

/** Whether a caller may take the turn from the assistant now. */
export function interruptible({ speech }: Draft['state']): boolean {
  return speech.every((one) => one.interruptible);
}

/**
 * The caller takes the turn, and what was not heard is dropped. If nothing of the answer was heard yet, the
 * caller was only pausing, and the words before the pause belong to the turn that goes on.
 */
export function interruptAssistant(draft: Draft): void {
  const { state, effects } = draft;
  const goesOn = !state.audible ? state.reply?.answered : undefined;
  state.heldSince = undefined;
  dropReply(draft);
  if (state.audible) {
    state.interruptedAt = state.now;
    effects.push(
      { type: 'user-interrupted' },
      { type: 'speech-update', role: 'assistant', status: 'stopped' },
    );
  }
  state.audible = false;
  if (goesOn !== undefined && goesOn.text !== '') state.pending = goesOn;
}

/** Voice over the assistant's: it falls silent at once, and the words will decide whose turn it is. */
export function holdAssistant(draft: Draft, voicedMs: number, probability: number): void {
  const { state, effects } = draft;
  if (!assistantBusy(state) || state.heldSince !== undefined || !interruptible(state)) return;
  const sooner = state.audible && probability >= CERTAIN ? PLAYOUT_DELAY_MS : 0;
  if (state.rules.interruptWords > 0 || voicedMs < state.rules.interruptAfterMs - sooner) return;
  state.heldSince = state.now;
  effects.push({ type: 'hold' });
}

/** Words over the assistant's: enough of them, or a word that stops it, take the turn. */
export function considerInterruption(draft: Draft, text: string, voicedMs: number): void {
  const { state } = draft;
  if (!assistantBusy(state) || !interruptible(state)) return;
  const { weight, words } = weigh(text, state.rules.phrases);
  const { interruptWords, interruptAfterMs } = state.rules;
  const enough = interruptWords > 0 ? words >= interruptWords : voicedMs >= interruptAfterMs;
  if (weight === 'stop' || (weight === 'words' && enough)) interruptAssistant(draft);
}

/**
 * Whether the sound that the assistant was held for is only a noise or an acknowledgement, as far as is
 * known.
 */
export function inPassing({ state }: Draft): boolean {
  const { utterance, heldSince } = state;
  if (utterance === undefined || heldSince === undefined) return false;
  const { weight } = weigh(utterance.partial, state.rules.phrases);
  return (
    weight === 'acknowledgement' ||
    (weight === 'nothing' && utterance.voicedMs < state.rules.interruptAfterMs)
  );
}
