import { z } from 'zod';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { CameraStream } from '../media/media-transport.server.ts';
import { ASSISTANT } from '../media/room/media-room.server.ts';
import type { RecordingLayout, Scene } from '../recording/meeting/meeting-record.contract.ts';
import type { TapeWish } from '../recording/meeting/meeting-recordings.server.ts';
import type { MeetingTape, TapedPerson, TapeListener } from '../recording/meeting/meeting-tape.server.ts';
import type { MeetingWish } from '../recording/recording-wish.contract.ts';
import { parseVoice } from '../records/voice-scope.server.ts';

/** Who asks whether somebody may be recorded, and hears what they say to it. */
export const RECORDER = 'recorder';

/** How the recordings of a room are made; a room without `enable_recording` has none. */
export interface RoomTapes {
  /** @throws ServiceError 403 `not-allowed`, 503 `too_many_recordings`, 507 `disk_full` */
  open(wish: Omit<TapeWish, 'room'>, listener: TapeListener): Promise<MeetingTape>;
  /** Stores what a tape has written, after it was stopped. */
  store(tape: MeetingTape): Promise<void>;
}

/** Who is in the meeting, and how they are told. */
export interface RecordedMeeting {
  /** People with a page who are in; telephones and players are nobody who could be asked. */
  people(): readonly TapedPerson[];
  hasAssistant(): boolean;
  camera(personId: string): CameraStream | undefined;
  tell(personId: string, notice: object): void;
  tellAll(notice: object): void;
}

interface Going {
  readonly startedBy: string;
  readonly video: boolean;
  layout: RecordingLayout;
  /** Undefined while it is prepared. */
  tape: MeetingTape | undefined;
  /** What people have said to it, by their sessions. */
  readonly answers: Map<string, boolean>;
  /** How often each has said yes. */
  readonly yeses: Map<string, number>;
  /** Somebody is recorded, and everybody was told. */
  isOn: boolean;
  /** Whose picture was shown last where the speaker's is. */
  shown: number | undefined;
}

const QUESTION =
  'This meeting is to be recorded. Do you agree that your voice and the picture of your camera are recorded with it? Nothing of you is recorded unless you say yes.';
const SOUND_QUESTION =
  'The sound of this meeting is to be recorded. Do you agree that your voice is recorded with it? Nothing of you is recorded unless you say yes.';
const NOT_BEGUN = 'The recording could not be begun.';
/** Each yes begins tracks, and each no deletes them: somebody says yes so often at most. */
const MOST_YESES = 5;
/** Whoever speaks has the picture for so long at least, milliseconds. */
const SHOWN_MS = 2000;

const answerSchema = z.object({
  type: z.literal('recording-consent'),
  given: z.boolean(),
  recordingId: z.string().optional(),
});

/**
 * Whether one meeting is recorded, and what its people hear of that. Everybody is asked; of who has not said yes nothing is
 * recorded, and who takes their yes back is deleted from the recording while it is made (decisions 0266 and 0530).
 */
export class MeetingRecording {
  readonly #tapes: RoomTapes;
  readonly #meeting: RecordedMeeting;
  #going: Going | undefined;
  #speaker: string | undefined;
  #shownAt = Number.NEGATIVE_INFINITY;

  constructor(tapes: RoomTapes, meeting: RecordedMeeting) {
    this.#tapes = tapes;
    this.#meeting = meeting;
  }

  /**
   * Begins: everybody is asked, and what there is begins with the first yes.
   *
   * @param agreed who began it has agreed by that; a token that begins it agrees for nobody
   * @throws ServiceError 409 `recording`, and what the tapes throw
   */
  async start(by: string, { type, layout: given }: MeetingWish, agreed: boolean): Promise<void> {
    if (this.#going !== undefined)
      throw new ServiceError(409, 'recording', 'This meeting is recorded already.');
    const layout = type === 'cloud-audio-only' ? ({ preset: 'audio-only' } as const) : (given ?? USUAL);
    const video = layout.preset !== 'audio-only';
    const going: Going = {
      ...{ startedBy: by, video, layout },
      ...{ tape: undefined, answers: new Map(), yeses: new Map(), isOn: false, shown: undefined },
    };
    this.#going = going;
    const listener: TapeListener = {
      broken: (errorMsg) => {
        if (this.#going !== going) return;
        this.#tellError(errorMsg);
        this.#end(going);
      },
      blinded: (errorMsg) => this.#tellError(errorMsg),
    };
    try {
      going.tape = await this.#tapes.open({ startedBy: by, video, scene: this.#sceneOf(going) }, listener);
    } catch (error) {
      if (this.#going === going) this.#going = undefined;
      throw error;
    }
    // Everybody has left meanwhile, or it was stopped.
    if (this.#going !== going) return this.#close(going.tape);
    const people = this.#meeting.people();
    for (const { id } of people) if (!(agreed && id === by)) this.#ask(going, id);
    if (agreed && people.some(({ id }) => id === by)) await this.#answered(going, by, true);
  }

  /** Ends; what was recorded stays. @throws ServiceError 409 `not_recording` */
  stop(): void {
    this.#end(this.#requireGoing());
  }

  /** Shows something else from now on. @throws ServiceError 409 `not_recording`, 400 */
  update(layout: RecordingLayout): void {
    const going = this.#requireGoing();
    if ((layout.preset === 'audio-only') === going.video)
      throw new ServiceError(
        400,
        'validation_failed',
        'A recording has pictures from its beginning to its end, or none: stop it, and begin another.',
      );
    going.layout = layout;
    this.#show(going);
  }

  /** What somebody has written to the recorder: their yes or no. @throws ServiceError 409 `not_recording`, 400 */
  async answer(by: string, data: unknown): Promise<object> {
    const { given, recordingId } = parseVoice(answerSchema, data);
    const going = this.#requireGoing();
    if (recordingId !== undefined && recordingId !== going.tape?.id) throw notRecording();
    await this.#answered(going, by, given);
    return {};
  }

  /** Who comes has to know of it, and is asked. */
  inform(personId: string): void {
    const going = this.#going;
    if (going?.tape === undefined) return;
    if (going.isOn) this.#meeting.tell(personId, startedNotice(going));
    this.#ask(going, personId);
  }

  hear(personId: string, pcm: Int16Array): void {
    this.#going?.tape?.hear(personId, pcm);
  }

  /** Somebody has the floor. */
  speaks(personId: string): void {
    this.#speaker = personId;
    const going = this.#going;
    if (going?.layout.preset !== 'active-participant' || performance.now() - this.#shownAt < SHOWN_MS) return;
    this.#show(going);
  }

  /** Somebody is gone; so is what they said to it: they would come back with another id. */
  leave(personId: string): void {
    const going = this.#going;
    if (going === undefined) return;
    going.answers.delete(personId);
    this.#quietly(going.tape?.release(personId));
    if (going.layout.preset === 'active-participant') this.#show(going);
  }

  /** The assistant comes or goes: it is no person, and heard in what is recorded. */
  assistantIs(isThere: boolean): void {
    const { tape, isOn } = this.#going ?? {};
    if (isOn !== true) return;
    this.#quietly(isThere ? tape?.take(AS_VOICE, undefined) : tape?.release(ASSISTANT));
  }

  /** Ends without a word: nobody is left to read any. */
  end(): void {
    const going = this.#going;
    this.#going = undefined;
    if (going?.tape !== undefined) this.#quietly(this.#close(going.tape));
  }

  #ask({ tape, video }: Going, personId: string): void {
    const data = {
      ...{ type: 'recording-consent-request', recordingId: tape?.id },
      question: video ? QUESTION : SOUND_QUESTION,
    };
    this.#meeting.tell(personId, { action: 'app-message', data, fromId: RECORDER });
  }

  async #answered(going: Going, by: string, given: boolean): Promise<void> {
    const { tape, answers, yeses } = going;
    if (tape === undefined || answers.get(by) === given) return;
    const times = (yeses.get(by) ?? 0) + (given ? 1 : 0);
    if (times > MOST_YESES)
      throw new ServiceError(429, 'too_many', 'You have taken your answer back too often in this recording.');
    yeses.set(by, times);
    answers.set(by, given);
    await tape.note(by, given);
    if (!given) return tape.withdraw(by);
    const person = this.#meeting.people().find(({ id }) => id === by);
    if (person === undefined) return;
    try {
      await tape.take(person, this.#meeting.camera(by));
    } catch (error) {
      if (this.#going !== going) return;
      // It goes on without them.
      if (error instanceof ServiceError) throw error;
      this.#tellError(NOT_BEGUN);
      this.#end(going);
      throw error;
    }
    // Who has left while they were being recorded first, or has said no meanwhile.
    if (!this.#meeting.people().some(({ id }) => id === by)) await tape.release(by);
    this.#begun(going);
  }

  #begun(going: Going): void {
    if (this.#going !== going) return;
    if (!going.isOn) {
      going.isOn = true;
      this.#meeting.tellAll(startedNotice(going));
      if (this.#meeting.hasAssistant()) this.assistantIs(true);
    }
    // A picture of one person can be shown from when they are recorded.
    if (going.layout.preset !== 'default') this.#show(going);
  }

  #show(going: Going): void {
    this.#shownAt = performance.now();
    this.#quietly(going.tape?.show(() => this.#sceneOf(going)));
  }

  /** Who is shown, as far as they are recorded; a speaker who is not leaves the one before. */
  #sceneOf(going: Going): Omit<Scene, 'at'> {
    const { layout, tape } = going;
    if (layout.preset === 'single-participant')
      return { layout: 'single', shown: tape?.numberOf(layout.session_id) };
    if (layout.preset === 'active-participant') {
      going.shown = tape?.shownOr(tape.numberOf(this.#speaker ?? '') ?? going.shown);
      return { layout: 'active', shown: going.shown };
    }
    return { layout: 'grid', most: layout.preset === 'default' ? layout.max_cam_streams : undefined };
  }

  #end(going: Going): void {
    this.#going = undefined;
    if (going.tape !== undefined) this.#quietly(this.#close(going.tape));
  }

  async #close(tape: MeetingTape): Promise<void> {
    try {
      await tape.stop();
      this.#meeting.tellAll({ action: 'recording-stopped', type: 'cloud', recordingId: tape.id });
    } finally {
      await this.#tapes.store(tape);
    }
  }

  #tellError(errorMsg: string): void {
    this.#meeting.tellAll({ action: 'recording-error', type: 'cloud', errorMsg });
  }

  /** What the disk or the database refuses ends the recording; it is in the log of the tape. */
  #quietly(work: Promise<void> | undefined): void {
    const going = this.#going;
    work?.catch(() => {
      if (going === undefined || this.#going !== going) return;
      this.#tellError('The recording could not be written on, and ends here.');
      this.#end(going);
    });
  }

  #requireGoing(): Going {
    if (this.#going === undefined) throw notRecording();
    return this.#going;
  }
}

const USUAL = { preset: 'default' } as const;
const AS_VOICE: TapedPerson = { id: ASSISTANT, userId: ASSISTANT, userName: 'AI assistant', isVoice: true };

/** In the call library's own members. */
const startedNotice = ({ tape, startedBy, layout }: Going): object => ({
  ...{ action: 'recording-started', type: 'cloud', recordingId: tape?.id },
  ...{ startedBy, layout },
});

const notRecording = (): ServiceError =>
  new ServiceError(409, 'not_recording', 'This meeting is not recorded.');
