import { z } from 'zod';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { CameraStream } from '../media/media-transport.server.ts';
import { ASSISTANT } from '../media/room/media-room.server.ts';
import type { RecordingLayout, Scene } from '../recording/meeting/meeting-record.contract.ts';
import type { TapeWish } from '../recording/meeting/meeting-recordings.server.ts';
import type { MeetingTape, TapedPerson, TapeListener } from '../recording/meeting/meeting-tape.server.ts';
import type { MeetingWish } from '../recording/recording-wish.contract.ts';
import { parseVoice } from '../records/voice-scope.server.ts';

/** The id of the sender that asks people whether they may be recorded, and that they answer to. */
export const RECORDER = 'recorder';

/** How recordings of a room are made; undefined for a room without `enable_recording`. */
export interface RoomTapes {
  /** @throws ServiceError 403 `not-allowed`, 503 `too_many_recordings`, 507 `disk_full` */
  open(wish: Omit<TapeWish, 'room'>, listener: TapeListener): Promise<MeetingTape>;
  /** Stores what a tape has written, after it was stopped. */
  store(tape: MeetingTape): Promise<void>;
}

/** The people in the meeting, and how to reach them. */
export interface RecordedMeeting {
  /** People with a page who are in the meeting; telephones and players cannot be asked. */
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
  /** Undefined while it is being prepared. */
  tape: MeetingTape | undefined;
  /** What people have answered, by their sessions. */
  readonly answers: Map<string, boolean>;
  /** How often each person has said yes. */
  readonly yeses: Map<string, number>;
  /** Whether somebody is being recorded, which everybody has been told. */
  isOn: boolean;
  /** Why it has no picture, where that happened before everybody was told that it is on. */
  blindedBy?: string;
  /** Whose picture was shown last, where the speaker's is shown. */
  shown: number | undefined;
}

const QUESTION =
  'This meeting is to be recorded. Do you agree that your voice and the picture of your camera are recorded with it? Nothing of you is recorded unless you say yes.';
const SOUND_QUESTION =
  'The sound of this meeting is to be recorded. Do you agree that your voice is recorded with it? Nothing of you is recorded unless you say yes.';
const NOT_BEGUN = 'The recording could not be begun.';
/** Each yes begins new tracks and each no deletes them, so nobody can say yes more often than this. */
const MOST_YESES = 5;
/** How long a speaker's picture is shown at least, milliseconds. */
const SHOWN_MS = 2000;

const answerSchema = z.object({
  type: z.literal('recording-consent'),
  given: z.boolean(),
  recordingId: z.string().optional(),
});

/**
 * Records one meeting, and tells its people. Everybody is asked. A person who has not agreed is not recorded,
 * and a person who withdraws their consent is deleted from the recording while it is made (decisions 0266 and
 * 0530).
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
   * Starts a recording: everybody is asked, and the first yes begins it.
   *
   * @param agreed whether the person who started it thereby agrees; a token that starts it agrees for nobody
   * @throws ServiceError 409 `recording`, and the errors of `RoomTapes.open`
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
      blinded: (errorMsg) => {
        if (going.isOn) this.#tellError(errorMsg);
        else going.blindedBy = errorMsg;
      },
    };
    try {
      going.tape = await this.#tapes.open({ startedBy: by, video, scene: this.#sceneOf(going) }, listener);
    } catch (error) {
      if (this.#going === going) this.#going = undefined;
      throw error;
    }
    // Everybody has left meanwhile, or the recording was stopped.
    if (this.#going !== going) return this.#close(going.tape);
    const people = this.#meeting.people();
    for (const { id } of people) if (!(agreed && id === by)) this.#ask(going, id);
    if (agreed && people.some(({ id }) => id === by)) await this.#answered(going, by, true);
  }

  /** Ends the recording; the recorded part stays. @throws ServiceError 409 `not_recording` */
  stop(): void {
    this.#end(this.#requireGoing());
  }

  /** Changes the layout from now on. @throws ServiceError 409 `not_recording`, 400 */
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

  /** Takes somebody's answer to the recorder: yes or no. @throws ServiceError 409 `not_recording`, 400 */
  async answer(by: string, data: unknown): Promise<object> {
    const { given, recordingId } = parseVoice(answerSchema, data);
    const going = this.#requireGoing();
    if (recordingId !== undefined && recordingId !== going.tape?.id) throw notRecording();
    await this.#answered(going, by, given);
    return {};
  }

  /** Tells somebody who joins about the recording, and asks them. */
  inform(personId: string): void {
    const going = this.#going;
    if (going?.tape === undefined) return;
    if (going.isOn) this.#meeting.tell(personId, startedNotice(going));
    this.#ask(going, personId);
  }

  hear(personId: string, pcm: Int16Array): void {
    this.#going?.tape?.hear(personId, pcm);
  }

  /** Somebody has become the speaker. */
  speaks(personId: string): void {
    this.#speaker = personId;
    const going = this.#going;
    if (going?.layout.preset !== 'active-participant' || performance.now() - this.#shownAt < SHOWN_MS) return;
    this.#show(going);
  }

  /** Somebody has left; their answer is forgotten, since they would come back with another id. */
  leave(personId: string): void {
    const going = this.#going;
    if (going === undefined) return;
    going.answers.delete(personId);
    this.#quietly(going.tape?.release(personId));
    if (going.layout.preset === 'active-participant') this.#show(going);
  }

  /** The assistant has come or gone: it is not asked, and is heard in what is recorded. */
  assistantIs(isThere: boolean): void {
    const { tape, isOn } = this.#going ?? {};
    if (isOn !== true) return;
    this.#quietly(isThere ? tape?.take(AS_VOICE, undefined) : tape?.release(ASSISTANT));
  }

  /** Ends without telling anybody: nobody is left. */
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
      // The recording goes on without them.
      if (error instanceof ServiceError) throw error;
      this.#tellError(NOT_BEGUN);
      this.#end(going);
      throw error;
    }
    // They left or said no while their recording was being started.
    if (!this.#meeting.people().some(({ id }) => id === by)) await tape.release(by);
    this.#begun(going);
  }

  #begun(going: Going): void {
    if (this.#going !== going) return;
    if (!going.isOn) {
      going.isOn = true;
      this.#meeting.tellAll(startedNotice(going));
      if (going.blindedBy !== undefined) this.#tellError(going.blindedBy);
      if (this.#meeting.hasAssistant()) this.assistantIs(true);
    }
    // With some layouts a person can be shown only once they are recorded.
    if (going.layout.preset !== 'default') this.#show(going);
  }

  #show(going: Going): void {
    this.#shownAt = performance.now();
    this.#quietly(going.tape?.show(() => this.#sceneOf(going)));
  }

  /**
   * What is shown of the recorded people; while somebody speaks who is not recorded, the speaker before stays
   * shown.
   */
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

  /** A failure of the disk or the database ends the recording; the tape has logged it. */
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

/** In the members of the call library. */
const startedNotice = ({ tape, startedBy, layout }: Going): object => ({
  ...{ action: 'recording-started', type: 'cloud', recordingId: tape?.id },
  ...{ startedBy, layout },
});

const notRecording = (): ServiceError =>
  new ServiceError(409, 'not_recording', 'This meeting is not recorded.');
