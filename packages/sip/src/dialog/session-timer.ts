import type { SipHeaders } from '../message/sip-headers.ts';
import type { SipClock } from '../transaction/sip-clock.ts';

/** Seconds after which a session is refreshed or over (RFC 4028), and the shortest that is agreed to. */
export const SESSION_SECONDS = 1800;
export const LEAST_SESSION_SECONDS = 90;
/** Longer ones are shortened, and a timer of a month would run out at once. */
const MOST_SESSION_SECONDS = 86_400;
/** A refresh that was refused is tried again after so long, until the session is over. */
const REFUSED_MS = 5000;

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
  const [, refresher] = /;\s*refresher\s*=\s*(uac|uas)\b/i.exec(rest) ?? [];
  return { seconds: Number(digits), refresher: refresher?.toLowerCase() };
}

/** The `Min-SE` of a message, as far as it is one that may be followed. */
export function leastOf(headers: SipHeaders): number {
  const [digits = ''] = /^\d{1,9}/.exec(headers.get('min-se') ?? '') ?? [];
  const least = Number(digits);
  return least >= LEAST_SESSION_SECONDS && least <= MOST_SESSION_SECONDS ? least : LEAST_SESSION_SECONDS;
}

/**
 * Whether a request asks for a session that is too short. Only who knows the extension is told so by a 422, as nobody
 * else could ask again (RFC 4028 §9).
 */
export function asksTooLittle(request: SipHeaders): boolean {
  const asked = given(request);
  return asked !== undefined && asked.seconds < LEAST_SESSION_SECONDS && request.lists('supported', 'timer');
}

/** What the other side is answered that asked for a session, or changes it: the interval, and the headers that say so. */
export interface AcceptedInterval {
  readonly interval: SessionInterval | undefined;
  readonly header: Readonly<Record<string, string>>;
}

/**
 * Answers what a request says of the session's time.
 *
 * @param current what was agreed on before; it stays where the request says nothing
 */
export function acceptInterval(request: SipHeaders, current?: SessionInterval): AcceptedInterval {
  const knows = request.lists('supported', 'timer');
  const asked = given(request);
  // A proxy that asks for less than the least of the standard asks for nothing.
  if (!knows && (asked === undefined || asked.seconds < LEAST_SESSION_SECONDS))
    return { interval: undefined, header: {} };
  const seconds =
    asked === undefined
      ? Math.max(current?.seconds ?? SESSION_SECONDS, leastOf(request))
      : Math.min(asked.seconds, MOST_SESSION_SECONDS);
  // Who does not know the extension cannot be the one that refreshes.
  const refresher = knows ? (asked?.refresher ?? (current?.ours === true ? 'uas' : 'uac')) : 'uas';
  const header = {
    'session-expires': `${seconds};refresher=${refresher}`,
    ...(refresher === 'uac' ? { require: 'timer' } : {}),
  };
  return { interval: { seconds, ours: refresher === 'uas' }, header };
}

/** What an answer to our request says. */
export function agreedInterval(response: SipHeaders): SessionInterval | undefined {
  const answer = given(response);
  if (answer === undefined) return undefined;
  const seconds = Math.max(LEAST_SESSION_SECONDS, Math.min(answer.seconds, MOST_SESSION_SECONDS));
  return { seconds, ours: answer.refresher !== 'uas' };
}

/** Watches a session: refreshes it at half its time where that is ours, and ends it when nobody did. */
export class SessionTimer {
  readonly #clock: SipClock;
  readonly #does: { refresh(): void; expired(): void };
  #cancel: (() => void)[] = [];
  #interval: SessionInterval | undefined;
  #least = LEAST_SESSION_SECONDS;

  constructor(clock: SipClock, does: { refresh(): void; expired(): void }) {
    this.#clock = clock;
    this.#does = does;
  }

  /** What is agreed on; undefined where the session has no end of its own. */
  get interval(): SessionInterval | undefined {
    return this.#interval;
  }

  /** What a request of ours says that changes or refreshes the session: who refreshes stays so (RFC 4028 §7.4). */
  get header(): Readonly<Record<string, string>> {
    if (this.#interval === undefined) return {};
    const { seconds, ours } = this.#interval;
    return {
      'session-expires': `${Math.max(seconds, this.#least)};refresher=${ours ? 'uac' : 'uas'}`,
      'min-se': String(this.#least),
    };
  }

  /** Begins anew with each refresh. */
  set(interval: SessionInterval | undefined): void {
    this.stop();
    this.#interval = interval;
    if (interval === undefined) return;
    const ms = interval.seconds * 1000;
    const early = Math.min(32_000, ms / 3);
    if (interval.ours) this.#cancel.push(this.#clock.after(ms / 2, () => this.#does.refresh()));
    this.#cancel.push(this.#clock.after(ms - early, () => this.#does.expired()));
  }

  /** The other side wants a longer session (422). False where that says nothing new. */
  lengthen(refusal: SipHeaders): boolean {
    const least = leastOf(refusal);
    if (least <= this.#least) return false;
    this.#least = least;
    return true;
  }

  /** Refreshes once more, as the other side refused. */
  retry(ms: number = REFUSED_MS): void {
    this.#cancel.push(this.#clock.after(ms, () => this.#does.refresh()));
  }

  stop(): void {
    for (const cancel of this.#cancel) cancel();
    this.#cancel = [];
  }
}
