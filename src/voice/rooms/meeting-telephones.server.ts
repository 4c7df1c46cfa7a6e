import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { RoomSound } from '../media/room/media-room.server.ts';

/**
 * Whom a meeting calls: a number (E.164) or a SIP address, and the installation's number that it calls from.
 */
export interface DialWish {
  readonly phoneNumber?: string | undefined;
  readonly sipUri?: string | undefined;
  readonly callerId?: string | undefined;
}

/** A telephone that was called for a meeting: mono 16-bit sound of 16 000 samples a second both ways. */
export interface RoomConnection {
  /** Resolves when it is answered. @throws Error that says why it was not */
  readonly established: Promise<void>;
  readonly over: Promise<unknown>;
  onPcm16k(listener: (pcm: Int16Array) => void): void;
  writePcm(pcm: Int16Array): void;
  /** Milliseconds of sound that have not been sent yet. */
  queuedMs(): number;
  flush(): void;
  /** Presses keys: 0-9, A-D, * and #. @throws ServiceError 400 `bad_tones` */
  sendTones(tones: string): Promise<void>;
  hangUp(): void;
}

/** Calls telephones for meetings, within the rules against toll fraud (decision 0469). */
export interface RoomTelephone {
  /**
   * Begins to call.
   *
   * @throws ServiceError 400, 403 `destination_not_allowed` and `do_not_call`, 422 `no_trunk` and `telephone_off`,
   * 429 `meeting-full`, `concurrency_limit` and the caps of a day
   */
  dial(wish: DialWish): Promise<RoomConnection>;
}

/** What telephones do in their meeting. */
export interface TelephonedMeeting {
  /** Opens the sound of somebody on a telephone. */
  sound(id: string): Promise<RoomSound>;
  joined(id: string, name: string): void;
  left(id: string): void;
  /** Sends an event of the call library to everybody. */
  tellAll(notice: object): void;
}

/** Most telephones in one meeting at once. */
const MOST_LINES = 2;
/** After an hour a telephone is hung up, so that nobody pays for a forgotten call. */
const LONGEST_MS = 3_600_000;
/** Sound that would wait longer is dropped, since two clocks are never the same. */
const MOST_QUEUED_MS = 240;
/** The name of a telephone without one: the others must not see numbers. */
const NAMELESS = 'Telephone';

const notThere = (): ServiceError =>
  new ServiceError(404, 'not_found', 'There is no telephone of that id in the room.');

interface Called {
  readonly line: RoomConnection;
  /** Whether it was hung up from here. */
  stopped: boolean;
}

/** The telephones of one meeting. */
export class MeetingTelephones {
  readonly #telephone: RoomTelephone;
  readonly #meeting: TelephonedMeeting;
  readonly #called = new Map<string, Called>();
  #dialling = 0;
  /** How often all telephones were hung up: a telephone that was being called at that time is hung up too. */
  #endings = 0;

  constructor(telephone: RoomTelephone, meeting: TelephonedMeeting) {
    this.#telephone = telephone;
    this.#meeting = meeting;
  }

  /** Whether a telephone with this id is being called or has answered. */
  has(id: string): boolean {
    return this.#called.has(id);
  }

  /** Calls somebody; resolves with their id as soon as the call has been sent. @throws ServiceError */
  async dial(wish: DialWish, name = NAMELESS): Promise<string> {
    if (this.#called.size + this.#dialling >= MOST_LINES)
      throw new ServiceError(409, 'too_many_lines', `A meeting has ${MOST_LINES} telephones at most.`);
    if ((wish.phoneNumber === undefined) === (wish.sipUri === undefined))
      throw new ServiceError(400, 'validation_failed', 'Exactly one of phoneNumber and sipUri is called.');
    this.#dialling += 1;
    const begun = this.#endings;
    try {
      const line = await this.#telephone.dial(wish);
      const id = randomUUID();
      const called: Called = { line, stopped: false };
      this.#called.set(id, called);
      if (this.#endings !== begun) this.stop(id);
      void this.#follow(id, called, name);
      return id;
    } finally {
      this.#dialling -= 1;
    }
  }

  /** Presses keys once somebody has answered. @throws ServiceError 404 `not_found`, 400 `bad_tones` */
  async sendTones(id: string, tones: string): Promise<void> {
    const { line } = this.#lineOf(id);
    await line.established.catch(() => {
      throw notThere();
    });
    await line.sendTones(tones);
  }

  /** Hangs up a telephone. @throws ServiceError 404 `not_found` */
  stop(id: string): void {
    const called = this.#lineOf(id);
    called.stopped = true;
    called.line.hangUp();
  }

  /** Hangs up all telephones: nobody is left to talk to. */
  end(): void {
    this.#endings += 1;
    for (const id of [...this.#called.keys()]) this.stop(id);
  }

  #lineOf(id: string): Called {
    const called = this.#called.get(id);
    if (called === undefined) throw notThere();
    return called;
  }

  async #follow(sessionId: string, called: Called, name: string): Promise<void> {
    const { line } = called;
    const timer = setTimeout(() => line.hangUp(), LONGEST_MS);
    const tell = (what: string, more: object = {}): void =>
      this.#meeting.tellAll({ action: `dialout-${what}`, sessionId, ...more });
    try {
      await line.established;
      await this.#hold(sessionId, line, name, () => tell('connected'));
      tell('stopped');
    } catch (error) {
      line.hangUp();
      if (called.stopped) tell('stopped');
      else tell('error', { errorMsg: `Nobody was reached: ${(error as Error).message}.` });
    } finally {
      clearTimeout(timer);
      this.#called.delete(sessionId);
    }
  }

  /** Keeps a telephone in the meeting from its answer to its end. */
  async #hold(id: string, line: RoomConnection, name: string, begun: () => void): Promise<void> {
    const sound = await this.#meeting.sound(id);
    line.onPcm16k((pcm) => {
      if (sound.queuedMs() > MOST_QUEUED_MS) sound.flush();
      sound.writePcm(pcm);
    });
    sound.onPcm16k((pcm) => {
      if (line.queuedMs() > MOST_QUEUED_MS) line.flush();
      line.writePcm(pcm);
    });
    try {
      this.#meeting.joined(id, name);
      begun();
      await line.over;
    } finally {
      sound.close();
      this.#meeting.left(id);
    }
  }
}
