import type { Draft } from './conversation-draft.server.ts';
import { leaveMessage } from './reply-speech.server.ts';

/** What answering machines and mailboxes say, and people who answer do not. */
const GREETING =
  /\b(?:after|at|following) (?:the|this) (?:tone|beep|signal)\b|\bvoice ?mail\b|\bmail ?box\b|\brecord (?:your|a) message\b|(?<!\b(?:like|want|wish|need) to )\bleave (?:me |us )?(?:a|your) (?:\w+ )?(?:message|name)\b|\b(?:person|number|party|subscriber|customer) you (?:are (?:calling|trying)|have (?:called|dialled|dialed|reached))\b/;
/** Somebody who answers in person has done so by then. */
const GREETING_MS = 60_000;
/** A tone so long is a machine's, without a word. */
const LONG_BEEP_MS = 400;
/** Where no tone comes, the message begins after so much silence; a greeting without end is not waited for. */
const QUIET_MS = 2500;
const PATIENCE_MS = 45_000;

/**
 * Looks whether what was understood is a machine's greeting. From then on nothing is answered.
 *
 * @param text as it was recognised, whole or in part
 */
export function noticeMachine({ state, effects }: Draft, text: string): void {
  // Whoever took the call over hears for themselves what it is.
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

/** A tone has ended: now is the time to speak. */
export function applyBeep(draft: Draft, { ms }: { readonly ms: number }): void {
  const { state } = draft;
  if (state.rules.voicemail === undefined || state.now - state.joinedAt > GREETING_MS) return;
  if (state.machineAt === undefined && ms < LONG_BEEP_MS) return;
  leaveMessage(draft, state.rules.voicemail.message);
}

/** A machine without a tone: its silence is the sign. */
export function watchMachine(draft: Draft): void {
  const { now, machineAt, lastVoiceAt, utterance, rules } = draft.state;
  if (machineAt === undefined || rules.voicemail === undefined) return;
  const quiet = utterance === undefined && now - Math.max(lastVoiceAt, machineAt) >= QUIET_MS;
  if (quiet || now - machineAt >= PATIENCE_MS) leaveMessage(draft, rules.voicemail.message);
}
