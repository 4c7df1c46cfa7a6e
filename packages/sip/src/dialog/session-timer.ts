import type { SipHeaders } from '../message/sip-headers.ts';
import type { SipClock } from '../transaction/sip-clock.ts';

/**
 * Seconds after which a session expires unless it is refreshed (RFC 4028), and the shortest interval that is
 * accepted.
 */
export const SESSION_SECONDS = 1800;
export const LEAST_SESSION_SECONDS = 90;
/** Longer intervals are shortened: a timer of more than 24 days would run out at once. */
const MOST_SESSION_SECONDS = 86_400;
/** A refused refresh is tried again after this time, until the session expires. */
const REFUSED_MS = 5000;

/** The interval that the two sides agreed on. */
export interface SessionInterval {
  readonly seconds: number;
  /** Whether this side has to refresh. */
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

/** The `Min-SE` of a message, if it is within our limits. */
export function leastOf(headers: SipHeaders): number {
  const [digits = ''] = /^\d{1,9}/.exec(headers.get('min-se') ?? '') ?? [];
  const least = Number(digits);
  return least >= LEAST_SESSION_SECONDS && least <= MOST_SESSION_SECONDS ? least : LEAST_SESSION_SECONDS;
}

/**
 * Whether a request asks for too short a session. Only a side that knows the extension gets a 422 for it,
 * since no other could ask again (RFC 4028 §9).
 */
export function asksTooLittle(request: SipHeaders): boolean {
  const asked = given(request);
  return asked !== undefined && asked.seconds < LEAST_SESSION_SECONDS && request.lists('supported', 'timer');
}

/**
 * The answer to a side that asks for a session or changes one: the interval, and the headers that state it.
 */
export interface AcceptedInterval {
  readonly interval: SessionInterval | undefined;
  readonly header: Readonly<Record<string, string>>;
}

/**
 * Answers a request about the session's interval.
 *
 * @param current the present agreement, which stays where the request says nothing
 */
export function acceptInterval(request: SipHeaders, current?: SessionInterval): AcceptedInterval {
  const knows = request.lists('supported', 'timer');
  const asked = given(request);
  // A proxy's request for less than the standard's minimum is ignored.
  if (!knows && (asked === undefined || asked.seconds < LEAST_SESSION_SECONDS))
    return { interval: undefined, header: {} };
  const seconds =
    asked === undefined
      ? Math.max(current?.seconds ?? SESSION_SECONDS, leastOf(request))
      : Math.min(asked.seconds, MOST_SESSION_SECONDS);
  // A side that does not know the extension cannot be the refresher.
  const refresher = knows ? (asked?.refresher ?? (current?.ours === true ? 'uas' : 'uac')) : 'uas';
  const header = {
    'session-expires': `${seconds};refresher=${refresher}`,
    ...(refresher === 'uac' ? { require: 'timer' } : {}),
  };
  return { interval: { seconds, ours: refresher === 'uas' }, header };
}

/** The agreement in an answer to our request. */
export function agreedInterval(response: SipHeaders): SessionInterval | undefined {
  const answer = given(response);
  if (answer === undefined) return undefined;
  const seconds = Math.max(LEAST_SESSION_SECONDS, Math.min(answer.seconds, MOST_SESSION_SECONDS));
  return { seconds, ours: answer.refresher !== 'uas' };
}

/**
 * Watches a session: refreshes it at half its interval if that is this side's task, and ends it when it
 * expires.
 */
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

  /** The present agreement; undefined where the session does not expire. */
  get interval(): SessionInterval | undefined {
    return this.#interval;
  }

  /**
   * The headers of a request that changes or refreshes the session; the refresher stays the same (RFC 4028
   * §7.4).
   */
  get header(): Readonly<Record<string, string>> {
    if (this.#interval === undefined) return {};
    const { seconds, ours } = this.#interval;
    return {
      'session-expires': `${Math.max(seconds, this.#least)};refresher=${ours ? 'uac' : 'uas'}`,
      'min-se': String(this.#least),
    };
  }

  /** Sets the interval and begins it; called at each refresh. */
  set(interval: SessionInterval | undefined): void {
    this.stop();
    this.#interval = interval;
    if (interval === undefined) return;
    const ms = interval.seconds * 1000;
    const early = Math.min(32_000, ms / 3);
    if (interval.ours) this.#cancel.push(this.#clock.after(ms / 2, () => this.#does.refresh()));
    this.#cancel.push(this.#clock.after(ms - early, () => this.#does.expired()));
  }

  /** The other side demands a longer session (422). False where its minimum is not higher than before. */
  lengthen(refusal: SipHeaders): boolean {
    const least = leastOf(refusal);
    if (least <= this.#least) return false;
    this.#least = least;
    return true;
  }

  /** Refreshes once more after a refusal. */
  retry(ms: number = REFUSED_MS): void {
    this.#cancel.push(this.#clock.after(ms, () => this.#does.refresh()));
  }

  stop(): void {
    for (const cancel of this.#cancel) cancel();
    this.#cancel = [];
  }
}
