import type { MediaState, MediaStats, SoundUnder } from '@northline/telephone-audio/sound-session';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { type ClientMessage, parseClientMessage } from '../calls/client-messages.server.ts';
import type { MediaSession } from '../media/media-transport.server.ts';
import type { RoomSound } from '../media/room/media-room.server.ts';
import type { Meeting } from './meeting.server.ts';

/**
 * The messages that everybody may send to the assistant; all others control it, and are for owners, or for
 * somebody who is alone with it.
 */
const FOR_ALL: ReadonlySet<ClientMessage['type']> = new Set(['playable', 'add-message']);

/**
 * The assistant's place in a meeting: for its call it is a session like any other, whose caller is everybody
 * in the room.
 */
export class AssistantPlace implements MediaSession {
  readonly #sound: RoomSound;
  readonly #meeting: Meeting;
  readonly #states: ((state: MediaState) => void)[] = [];
  readonly #messages: ((text: string) => void)[] = [];
  #state: MediaState | undefined;

  constructor(sound: RoomSound, meeting: Meeting) {
    this.#sound = sound;
    this.#meeting = meeting;
  }

  /** Somebody has joined. */
  begin(): void {
    this.#tell('connected');
  }

  /**
   * Takes a text that somebody wrote; false where it is not meant for the assistant
   * (docs/security-attacks.md, attack 61).
   */
  hear(text: string, from: { readonly owner: boolean }): boolean {
    const message = parseClientMessage(text);
    const alone = this.#meeting.people.length <= 1;
    if (message === undefined || !(alone || from.owner || FOR_ALL.has(message.type))) return false;
    for (const listener of this.#messages) listener(text);
    return true;
  }

  /** People enter a room each with an offer of their own. */
  answer(): Promise<string> {
    return Promise.reject(
      new ServiceError(409, 'already_answered', 'The assistant of a room takes no offer.'),
    );
  }

  onPcm16k(listener: (pcm: Int16Array) => void): void {
    this.#sound.onPcm16k(listener);
  }
  onSent(listener: (frame: Int16Array, speech: Int16Array) => void): void {
    this.#sound.onSent(listener);
  }
  writePcm(pcm: Int16Array): void {
    this.#sound.writePcm(pcm);
  }
  queuedMs(): number {
    return this.#sound.queuedMs();
  }
  hold(held: boolean): void {
    this.#sound.hold(held);
  }
  flush(): number {
    return this.#sound.flush();
  }
  playUnder(sound: SoundUnder | undefined): void {
    this.#sound.playUnder(sound);
  }
  onAppMessage(listener: (text: string) => void): void {
    this.#messages.push(listener);
  }
  sendAppMessage(text: string): boolean {
    return this.#meeting.say(text);
  }
  /** Nobody is removed from a room through the assistant. */
  sendFault(): boolean {
    return false;
  }
  onState(listener: (state: MediaState) => void): void {
    this.#states.push(listener);
  }
  stats(): MediaStats {
    return this.#sound.stats();
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#sound.close();
    this.#tell('closed');
  }

  #tell(state: MediaState): void {
    if (this.#state === 'closed' || this.#state === state) return;
    this.#state = state;
    for (const listener of this.#states) listener(state);
  }
}
