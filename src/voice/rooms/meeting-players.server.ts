import { randomUUID } from 'node:crypto';
import { FRAME } from '@northline/telephone-audio/frame-pacing';
import type { SoundUnder } from '@northline/telephone-audio/sound-session';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { RoomSound } from '../media/room/media-room.server.ts';

/** Fetches sound for meetings: mono, 16-bit, 16 000 samples a second. @throws ServiceError 400 with a sentence */
export type MediaLibrary = (url: string) => Promise<Int16Array>;

/** How a sound is played; the members are the call library's. */
export interface PlayerSettings {
  readonly state?: 'play' | 'pause' | undefined;
  /** 0 to 2; 1 plays it as it was recorded. */
  readonly volume?: number | undefined;
}

/** What a player does in its meeting. */
export interface PlayedMeeting {
  /** Opens the sound of a player. */
  sound(id: string): Promise<RoomSound>;
  joined(id: string): void;
  left(id: string): void;
  /** Sends an event of the call library to everybody. */
  tellAll(notice: object): void;
}

interface Player {
  readonly sound: RoomSound;
  settings: Required<{ [Name in keyof PlayerSettings]: NonNullable<PlayerSettings[Name]> }>;
}

/** The player of a meeting; a meeting has one at a time (decision 0469). */
export class MeetingPlayers {
  readonly #library: MediaLibrary;
  readonly #meeting: PlayedMeeting;
  readonly #players = new Map<string, Player>();
  #fetching = false;
  /** How often everything was ended: a sound that was being fetched at that time is not played. */
  #endings = 0;

  constructor(library: MediaLibrary, meeting: PlayedMeeting) {
    this.#library = library;
    this.#meeting = meeting;
  }

  has(id: string): boolean {
    return this.#players.has(id);
  }

  /**
   * Plays the sound at an address, as a participant of the meeting. @throws ServiceError 409 `plays_already`,
   * 400
   */
  async start(by: string, url: string, given: PlayerSettings): Promise<object> {
    if (this.#fetching || this.#players.size > 0)
      throw new ServiceError(409, 'plays_already', 'Something is played in this meeting already.');
    this.#fetching = true;
    const begun = this.#endings;
    try {
      const pcm = await this.#library(url);
      const id = randomUUID();
      const sound = await this.#meeting.sound(id);
      const settings = { state: given.state ?? 'play', volume: given.volume ?? 1 } as const;
      const player: Player = { sound, settings };
      this.#players.set(id, player);
      this.#meeting.joined(id);
      sound.playUnder(this.#playing(pcm, player, () => this.#end(id, by, 'EOS')));
      if (this.#endings !== begun) this.#end(id, by, 'stopped-by-peer');
      return this.#told('started', id, by);
    } finally {
      this.#fetching = false;
    }
  }

  /** @throws ServiceError 404 `not_found` */
  update(by: string, id: string, given: PlayerSettings): object {
    const player = this.#playerOf(id);
    const { state = player.settings.state, volume = player.settings.volume } = given;
    player.settings = { state, volume };
    return this.#told('updated', id, by);
  }

  /** @throws ServiceError 404 `not_found` */
  stop(by: string, id: string): void {
    this.#playerOf(id);
    this.#end(id, by, 'stopped-by-peer');
  }

  /** Ends the player: nobody is left to hear it. */
  end(): void {
    this.#endings += 1;
    for (const id of [...this.#players.keys()]) this.#end(id, id, 'stopped-by-peer');
  }

  #playerOf(id: string): Player {
    const player = this.#players.get(id);
    if (player === undefined)
      throw new ServiceError(404, 'not_found', 'Nothing of that id is played in the room.');
    return player;
  }

  /** Returns the next 20 ms at each call; silence while paused. */
  #playing(pcm: Int16Array, player: Player, over: () => void): SoundUnder {
    let at = 0;
    return () => {
      const { state, volume } = player.settings;
      const frame = new Int16Array(FRAME.samples);
      if (state === 'pause') return frame;
      if (at >= pcm.length) queueMicrotask(over);
      for (let n = 0; n < frame.length; n += 1)
        frame[n] = Math.max(-32_768, Math.min(32_767, Math.round((pcm[at + n] ?? 0) * volume)));
      at += frame.length;
      return frame;
    };
  }

  /** Tells everybody, and returns the answer for the person who asked. */
  #told(what: 'started' | 'updated', id: string, updatedBy: string): object {
    const player = this.#players.get(id);
    const { settings } = player ?? { settings: { state: 'pause', volume: 1 } };
    const state = settings.state === 'play' ? 'playing' : 'paused';
    const remoteMediaPlayerState = { state, settings };
    this.#meeting.tellAll({
      action: `remote-media-player-${what}`,
      ...{ session_id: id, updatedBy, remoteMediaPlayerState, playerState: remoteMediaPlayerState },
    });
    return { session_id: id, ...remoteMediaPlayerState };
  }

  #end(id: string, updatedBy: string, reason: 'EOS' | 'stopped-by-peer'): void {
    const player = this.#players.get(id);
    if (player === undefined) return;
    this.#players.delete(id);
    player.sound.close();
    this.#meeting.left(id);
    this.#meeting.tellAll({ action: 'remote-media-player-stopped', session_id: id, updatedBy, reason });
  }
}
