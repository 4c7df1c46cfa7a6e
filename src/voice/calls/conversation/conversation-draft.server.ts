import type { ConversationEffect, ConversationState, EndedReason } from './conversation-events.server.ts';

/** A state that is being changed, and the effects so far. */
export interface Draft {
  readonly state: ConversationState;
  readonly effects: ConversationEffect[];
}

/** Ends the conversation; nothing else does. */
export function endConversation({ state, effects }: Draft, reason: EndedReason): void {
  state.phase = 'ended';
  state.endReason = reason;
  state.speech = [];
  state.reply = undefined;
  state.utterance = undefined;
  effects.push({ type: 'end', reason });
}

/** Takes no further turns: what waits is still said, and then the call is over. */
export function beginClosing({ state, effects }: Draft, reason: EndedReason): void {
  if (state.phase !== 'talking') return;
  state.phase = 'closing';
  state.closingSince = state.now;
  state.endReason = reason;
  if (state.utterance !== undefined) {
    effects.push({ type: 'end-utterance', utterance: state.utterance.id });
    if (state.utterance.announced) effects.push({ type: 'speech-update', role: 'user', status: 'stopped' });
    state.utterance = undefined;
  }
  releaseVoice({ state, effects });
}

/** Lets the assistant go on where it was held. */
export function releaseVoice({ state, effects }: Draft): void {
  if (state.heldSince === undefined) return;
  state.heldSince = undefined;
  effects.push({ type: 'release' });
}

/** Whether the assistant has the turn: it thinks, or it speaks. */
export function assistantBusy(state: ConversationState): boolean {
  return state.reply !== undefined || state.speech.length > 0;
}
