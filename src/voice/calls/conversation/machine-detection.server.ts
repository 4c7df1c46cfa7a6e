import type { Draft } from './conversation-draft.server.ts';
import { leaveMessage } from './reply-speech.server.ts';

/** What answering machines and voicemail boxes say, and people who answer do not. */
const GREETING =
  /\b(?:after|at|following) (?:the|this) (?:tone|beep|signal)\b|\bvoice ?mail\b|\bmail ?box\b|\brecord (?:your|a) message\b|(?<!\b(?:like|want|wish|need) to )\bleave (?:me |us )?(?:a|your) (?:\w+ )?(?:message|name)\b|\b(?:person|number|party|subscriber|customer) you (?:are (?:calling|trying)|have (?:called|dialled|dialed|reached))\b/;
/** How long after the start of a call a greeting or a tone is taken for a machine's, ms. */
const GREETING_MS = 60_000;
/** A tone of at least this length, ms, is a machine's even without a greeting. */
const LONG_BEEP_MS = 400;
/**
 * Without a tone the message begins after this much silence, ms; or after the second time, where the greeting
 * does not end.
 */
const QUIET_MS = 2500;
const PATIENCE_MS = 45_000;

/**
 * Checks whether what was understood is a machine's greeting. If it is, nothing is answered from then on.
 *
 * @param text as it was recognised, whole or in part
 */
export function noticeMachine({ state, effects }: Draft, text: string): void {
  // A colleague who has taken the call over can hear what it is.
  if (state.rules.voicemail === undefined || state.machineAt !== undefined || state.taken) return;
  if (state.now - state.joinedAt > GREETING_MS || !GREETING.test(text.toLowerCase())) return;
  state.machineAt = state.now;
  if (state.reply !== undefined && !state.reply.ended) effects.push({ type: 'cancel-reply' });
  if (state.speech.length > 0) effects.push({ type: 'interrupt' });
  if (state.audible) effects.push({ type: 'speech-update', role: 'assistant', status: 'stopped' });
  Object.assign(state, {
    reply: undefined,
    speech: [],
    audible: false,
    heldSince: undefined,
    pending: undefined,
  });
}

/** A tone has ended: the message can begin. */
export function applyBeep(draft: Draft, { ms }: { readonly ms: number }): void {
  const { state } = draft;
  if (state.rules.voicemail === undefined || state.now - state.joinedAt > GREETING_MS) return;
  if (state.machineAt === undefined && ms < LONG_BEEP_MS) return;
  leaveMessage(draft, state.rules.voicemail.message);
}

/** Leaves the message after a silence, for a machine without a tone. */
export function watchMachine(draft: Draft): void {
  const { now, machineAt, lastVoiceAt, utterance, rules } = draft.state;
  if (machineAt === undefined || rules.voicemail === undefined) return;
  const quiet = utterance === undefined && now - Math.max(lastVoiceAt, machineAt) >= QUIET_MS;
  if (quiet || now - machineAt >= PATIENCE_MS) leaveMessage(draft, rules.voicemail.message);
}
