import type { CallEnding, IncomingCall, SipCall, SipCallEvents } from '@northline/sip/sip-call';
import type { RtpLeg } from '@northline/telephone-audio/rtp-leg';
import type {
  MediaState,
  MediaStats,
  SoundSession,
  SoundUnder,
} from '@northline/telephone-audio/sound-session';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { MediaSession } from '../../media/media-transport.server.ts';

/** The call never began. */
export class ConnectionFailure extends Error {
  /** The SIP status. */
  readonly status: number;
  /** Whether the other side reacted to the call at all. */
  readonly reached: boolean;

  constructor(status: number, reason: string, reached = true) {
    super(`the telephone answered ${status} ${reason}`);
    this.status = status;
    this.reached = reached;
  }
}

/** Who ended the call; `failed` where it never began, `silent` where we gave it up because no sound came. */
export type LineEnding = CallEnding | 'failed' | 'silent';

/**
 * One telephone call: its signalling, its sound, and the session that a conversation uses. The conversation
 * may leave before the call is over; the line then goes on without it.
 */
export class PhoneConnection {
  readonly leg: RtpLeg;
  readonly session: PhoneSession;
  readonly events: SipCallEvents;
  #call: SipCall | undefined;
  readonly #established = Promise.withResolvers<void>();
  readonly #over = Promise.withResolvers<LineEnding>();
  readonly #tones: ((digit: string) => void)[] = [];
  readonly #ringing: (() => void)[] = [];
  #agreed = '';
  #isOver = false;
  #isSilent = false;
  #refer: ((target: string) => Promise<number>) | undefined;
  /** Whether somebody else is being called for this line, and how the present call ended meanwhile. */
  #moving = false;
  #left: LineEnding | undefined;

  constructor(leg: RtpLeg, log: (line: string) => void) {
    this.leg = leg;
    this.session = new PhoneSession(leg.session, () => this.hangUp());
    // A rejection that nobody waits for must not end the process.
    this.#established.promise.catch(() => {});
    const tone = (digit: string): void => {
      for (const listener of this.#tones) listener(digit);
    };
    leg.onTone(tone);
    leg.onSilence(() => {
      log('no sound came for half a minute: the line is dead');
      this.#isSilent = true;
      this.hangUp();
    });
    this.events = {
      ringing: (_status, sdp) => {
        for (const listener of this.#ringing) listener();
        if (sdp !== undefined) this.#accept(sdp);
      },
      answered: (sdp) => this.#accept(sdp),
      established: () => {
        this.session.begin();
        this.#established.resolve();
      },
      failed: (status, reason, reached) => {
        this.#established.reject(new ConnectionFailure(status, reason, reached));
        this.#ended('failed');
      },
      ended: (how) => {
        // A side that refers us elsewhere may hang up before the other person answers.
        if (this.#moving && how === 'remote') {
          this.#left = how;
          return;
        }
        this.#established.reject(new ConnectionFailure(487, 'Hung up'));
        this.#ended(how);
      },
      offer: (sdp) => {
        if (sdp === undefined) return leg.offer();
        const answer = leg.answer(sdp);
        // The same answer may come again to our next offer, and has to be applied then.
        this.#agreed = '';
        return answer;
      },
      tone,
      replaced: (call) => this.#continue(call),
      referred: async (target) => (await this.#refer?.(target)) ?? 603,
    };
  }

  /** Goes on with another call, whose telephone takes the place of the first. */
  #continue(call: IncomingCall): void {
    const sdp = call.offer === undefined ? this.leg.offer() : this.leg.answer(call.offer);
    this.#call = call;
    call.listen(this.events);
    call.accept(sdp);
  }

  /** Sets the call of this line, which has to use this line's events. */
  attach(call: SipCall): void {
    this.#call = call;
    if (this.#isOver) call.hangUp();
  }

  /** Resolves when both sides are connected. @throws ConnectionFailure when the call never begins */
  get established(): Promise<void> {
    return this.#established.promise;
  }

  /** Resolves once, when the call is over. */
  get over(): Promise<LineEnding> {
    return this.#over.promise;
  }

  /** The call; set as soon as it has begun. */
  get call(): SipCall | undefined {
    return this.#call;
  }

  onTone(listener: (digit: string) => void): void {
    this.#tones.push(listener);
  }

  onRinging(listener: () => void): void {
    this.#ringing.push(listener);
  }

  /**
   * Sets the function that decides on and carries out a referral of the other side; it resolves with a SIP
   * status.
   */
  onRefer(listener: (target: string) => Promise<number>): void {
    this.#refer = listener;
  }

  /**
   * Calls somebody for this line, which moves to the new call as soon as it is answered; if it is not, the
   * present call stays. Resolves with the SIP status.
   *
   * @param begin makes the call
   */
  moveTo(begin: (sdp: string, events: SipCallEvents) => SipCall): Promise<number> {
    if (this.#moving || this.#isOver) return Promise.resolve(491);
    const { promise, resolve } = Promise.withResolvers<number>();
    this.#moving = true;
    const done = (status: number): void => {
      this.#moving = false;
      resolve(status);
      if (status >= 300 && this.#left !== undefined) this.#ended(this.#left);
    };
    const next = begin(this.leg.offer(), {
      ...this.events,
      ringing: () => {},
      answered: (sdp) => {
        if (this.#isOver) throw new Error('nobody is left to talk to');
        this.#accept(sdp);
        if (!this.#moving) return;
        if (this.#left === undefined) this.#call?.leave();
        this.#left = undefined;
        this.#call = next;
        done(200);
      },
      failed: (status) => done(status),
      ended: (how) => (this.#moving ? done(487) : this.events.ended(how)),
    });
    void this.over.then(() => next.hangUp());
    return promise;
  }

  /** Hangs up, refuses or cancels, depending on the state of the call. */
  hangUp(status?: number): void {
    if (this.#isOver) return;
    if (this.#call === undefined || this.#left !== undefined) this.#ended('local');
    else this.#call.hangUp(status);
  }

  #accept(sdp: string): void {
    // Early sound and the answer may have the same description.
    if (sdp === this.#agreed) return;
    this.leg.accept(sdp);
    this.#agreed = sdp;
  }

  #ended(how: LineEnding): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.session.end();
    this.#over.resolve(how === 'local' && this.#isSilent ? 'silent' : how);
    void this.leg.close();
  }
}

/**
 * The sound of a line in the form that a conversation uses: it begins when the call is answered, and hanging
 * up closes it.
 */
export class PhoneSession implements MediaSession {
  readonly #inner: SoundSession;
  readonly #hangUp: () => void;
  readonly #states: ((state: MediaState) => void)[] = [];
  readonly #messages: ((text: string) => void)[] = [];
  readonly #pcm: ((pcm: Int16Array) => void)[] = [];
  readonly #sent: ((frame: Int16Array, speech: Int16Array) => void)[] = [];
  #state: MediaState = 'connecting';
  #released = false;

  constructor(inner: SoundSession, hangUp: () => void) {
    this.#inner = inner;
    this.#hangUp = hangUp;
    inner.onPcm16k((pcm) => {
      if (this.#state === 'connected' && !this.#released) for (const listener of this.#pcm) listener(pcm);
    });
    inner.onSent((frame, speech) => {
      if (this.#state !== 'connected' || this.#released) return;
      for (const listener of this.#sent) listener(frame, speech);
    });
    inner.onState((state) => {
      if (state === 'failed' || state === 'closed') this.#hangUp();
    });
  }

  /** The call was answered. A telephone plays what it receives, so the conversation may begin at once. */
  begin(): void {
    if (this.#state !== 'connecting') return;
    this.#tell('connected');
    this.message('playable');
  }

  end(): void {
    // A call that never began is reported by those that wait for it.
    if (this.#state === 'connected') this.#tell('closed');
  }

  /** Delivers a message such as a client of the call library would send, e.g. a turn that was dialled. */
  message(text: string): void {
    if (!this.#released) for (const listener of this.#messages) listener(text);
  }

  /** The conversation leaves, and the line stays for what comes next. */
  release(): void {
    this.#released = true;
    this.#inner.flush();
    this.#inner.playUnder(undefined);
  }

  /** The descriptions of a telephone go through its leg. */
  answer(): Promise<string> {
    return Promise.reject(
      new ServiceError(409, 'telephone_leg', 'A telephone call is answered through its leg.'),
    );
  }
  onPcm16k(listener: (pcm: Int16Array) => void): void {
    this.#pcm.push(listener);
  }
  onSent(listener: (frame: Int16Array, speech: Int16Array) => void): void {
    this.#sent.push(listener);
  }
  writePcm(pcm: Int16Array): void {
    if (!this.#released) this.#inner.writePcm(pcm);
  }
  queuedMs(): number {
    return this.#released ? 0 : this.#inner.queuedMs();
  }
  hold(held: boolean): void {
    if (!this.#released) this.#inner.hold(held);
  }
  flush(): number {
    return this.#released ? 0 : this.#inner.flush();
  }
  playUnder(sound: SoundUnder | undefined): void {
    if (!this.#released) this.#inner.playUnder(sound);
  }
  onAppMessage(listener: (text: string) => void): void {
    this.#messages.push(listener);
  }
  /** A telephone cannot show messages. */
  sendAppMessage(): boolean {
    return false;
  }
  sendFault(): boolean {
    return false;
  }
  onState(listener: (state: MediaState) => void): void {
    this.#states.push(listener);
  }
  stats(): MediaStats {
    return this.#inner.stats();
  }
  /** Hangs up, unless the line was released. */
  async close(): Promise<void> {
    if (!this.#released) this.#hangUp();
  }

  #tell(state: MediaState): void {
    this.#state = state;
    if (!this.#released) for (const listener of this.#states) listener(state);
  }
}
