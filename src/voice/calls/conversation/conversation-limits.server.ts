import { type Draft, endConversation } from './conversation-draft.server.ts';
import type { ConversationState } from './conversation-events.server.ts';
import { greetWhenDue, startTalking } from './first-message.server.ts';
import { watchMachine } from './machine-detection.server.ts';
import { endForSilence, promptSilentCaller, watchReply } from './reply-speech.server.ts';
import { watchCaller } from './turn-detection.server.ts';

/** How long the caller has to join, and the caller's client to begin playing, ms. */
const JOIN_LIMIT_MS = 60_000;
const PLAYABLE_LIMIT_MS = 5000;
/** A goodbye that has not been heard after this time, ms, is not waited for. */
const CLOSING_LIMIT_MS = 20_000;

/** What the passing of time means in each phase. */
const TICKS: Readonly<Partial<Record<ConversationState['phase'], (draft: Draft) => void>>> = {
  joined(draft) {
    // A client that never reports that it plays is taken to play all the same.
    if (draft.state.now - draft.state.joinedAt >= PLAYABLE_LIMIT_MS) startTalking(draft);
  },
  closing(draft) {
    const { now, closingSince, endReason } = draft.state;
    if (now - closingSince >= CLOSING_LIMIT_MS) endConversation(draft, endReason ?? 'assistant-ended-call');
  },
  talking(draft) {
    watchCaller(draft);
    if (draft.state.taken) {
      // While two people talk, their silence has no limit.
      draft.state.quietSince = draft.state.now;
      draft.state.lastActivityAt = draft.state.now;
      return;
    }
    watchReply(draft);
    greetWhenDue(draft);
    if (draft.state.phase === 'talking') watchMachine(draft);
    if (draft.state.phase === 'talking') watchSilence(draft);
  },
};

/** Applies what the passing of time means: the longest call, the limits of waiting, and silence. */
export function applyTime(draft: Draft): void {
  const { phase, now, createdAt, joinedAt, rules } = draft.state;
  if (phase === 'ringing') {
    if (now - createdAt >= JOIN_LIMIT_MS) endConversation(draft, 'customer-did-not-answer');
  } else if (now - joinedAt >= rules.maxDurationMs) endConversation(draft, 'exceeded-max-duration');
  else TICKS[phase]?.(draft);
}

function watchSilence(draft: Draft): void {
  const { state } = draft;
  const { now, rules } = state;
  const answering = state.reply !== undefined || state.utterance !== undefined;
  if (answering) noticeCaller(state);
  if (answering || state.speech.length > 0) {
    state.quietSince = now;
    if (!state.idling) state.lastActivityAt = now;
  } else if (now - state.lastActivityAt >= rules.silenceTimeoutMs) endForSilence(draft);
  else promptSilentCaller(draft);
}

/** The caller has said something. */
function noticeCaller(state: ConversationState): void {
  state.idling = false;
  const { silencePrompts } = state.rules;
  if (silencePrompts.some(({ resets }) => resets))
    state.promptsSaid = state.promptsSaid.map((count, at) =>
      silencePrompts[at]?.resets === true ? 0 : count,
    );
}
