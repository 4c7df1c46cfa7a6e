import type { SipHeaders } from '../message/sip-headers.server.ts';
import type { SipClock } from '../transaction/sip-clock.server.ts';

/** Seconds after which a session is refreshed or over (RFC 4028), and the shortest that is agreed to. */
export const SESSION_SECONDS = 1800;
export const LEAST_SESSION_SECONDS = 90;

/** What two sides agreed on. */
export interface SessionInterval {
  readonly seconds: number;
  /** Whether we are to refresh. */
  readonly ours: boolean;
}

interface Given {
  readonly seconds: number;
  readonly refresher: string | undefined;
}

function given(headers: SipHeaders): Given | undefined {
  const [, digits, rest = ''] = /^(\d{1,9})\s*(;.*)?$/.exec(headers.get('session-expires') ?? '') ?? [];
  if (digits === undefined) return undefined;
  const [, refresher] = /;\s*refresher\s*=\s*(uac|uas)/i.exec(rest) ?? [];
  return { seconds: Number(digits), refresher: refresher?.toLowerCase() };
}

/** What a client that called us is answered: the interval and the header; undefined where it asks for too little (422). */
export function acceptInterval(
  request: SipHeaders,
): { readonly interval: SessionInterval | undefined; readonly header: Record<string, string> } | undefined {
  const asked = given(request);
  if (asked !== undefined && asked.seconds < LEAST_SESSION_SECONDS) return undefined;
  const knows = request.lists('supported', 'timer');
  if (asked === undefined && !knows) return { interval: undefined, header: {} };
  const seconds = asked?.seconds ?? SESSION_SECONDS;
  // Who does not know the extension cannot be the one that refreshes.
  const refresher = knows ? (asked?.refresher ?? 'uac') : 'uas';
  const header = {
    'session-expires': `${seconds};refresher=${refresher}`,
    ...(refresher === 'uac' ? { require: 'timer' } : {}),
  };
  return { interval: { seconds, ours: refresher === 'uas' }, header };
}

/** What an answer to our INVITE says. */
export function agreedInterval(response: SipHeaders): SessionInterval | undefined {
  const answer = given(response);
  return answer === undefined ? undefined : { seconds: answer.seconds, ours: answer.refresher !== 'uas' };
}

/** Watches a session: refreshes it at half its time where that is ours, and ends it when nobody did. */
export class SessionTimer {
  readonly #clock: SipClock;
  readonly #does: { refresh(): void; expired(): void };
  #cancel: (() => void)[] = [];

  constructor(clock: SipClock, does: { refresh(): void; expired(): void }) {
    this.#clock = clock;
    this.#does = does;
  }

  /** Begins anew with each refresh. */
  set(interval: SessionInterval | undefined): void {
    this.stop();
    if (interval === undefined) return;
    const ms = interval.seconds * 1000;
    const early = Math.min(32_000, ms / 3);
    if (interval.ours) this.#cancel.push(this.#clock.after(ms / 2, () => this.#does.refresh()));
    this.#cancel.push(this.#clock.after(ms - early, () => this.#does.expired()));
  }

  stop(): void {
    for (const cancel of this.#cancel) cancel();
    this.#cancel = [];
  }
}
