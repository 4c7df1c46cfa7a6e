import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { MeetingTranscript, MeetingTranscripts } from './meeting-transcripts.server.ts';

/** How a transcription reaches the people of its meeting. */
export interface TranscriptionAudience {
  tell(personId: string, notice: object): void;
  tellAll(notice: object): void;
}

interface Going {
  readonly startedBy: string;
  readonly language: string;
  /** Undefined while it is being started. */
  transcript: MeetingTranscript | undefined;
}

/** Transcribes one meeting and tells its people, by the call library's own events. */
export class MeetingTranscription {
  readonly #transcripts: MeetingTranscripts;
  readonly #audience: TranscriptionAudience;
  #going: Going | undefined;

  constructor(transcripts: MeetingTranscripts, audience: TranscriptionAudience) {
    this.#transcripts = transcripts;
    this.#audience = audience;
  }

  /**
   * Starts. Everybody is told once it has started; a failure is told to the person who asked. @throws
   * ServiceError 409 `transcribing`
   */
  start(startedBy: string, language: string): void {
    if (this.#going !== undefined)
      throw new ServiceError(409, 'transcribing', 'This meeting is transcribed already.');
    const going: Going = { startedBy, language, transcript: undefined };
    this.#going = going;
    this.#transcripts
      .begin({
        words: (participantId, text) =>
          this.#audience.tellAll({
            action: 'transcription-message',
            ...{ participantId, text, timestamp: new Date().toISOString(), rawResponse: {} },
          }),
        failed: (errorMsg) => this.#audience.tellAll({ action: 'transcription-error', errorMsg }),
        ended: (errorMsg) => {
          this.#audience.tellAll({ action: 'transcription-error', errorMsg });
          if (this.#going === going) this.stop(startedBy);
        },
      })
      .then((transcript) => this.#begun(going, transcript))
      .catch((error: unknown) => this.#refused(going, error));
  }

  /** Stops; everybody is told after the last words. @throws ServiceError 409 `not_transcribing` */
  stop(updatedBy: string): void {
    const going = this.#going;
    if (going === undefined)
      throw new ServiceError(409, 'not_transcribing', 'This meeting is not transcribed.');
    this.#going = undefined;
    const finished = going.transcript?.finish() ?? Promise.resolve();
    void finished.then(() => this.#audience.tellAll({ action: 'transcription-stopped', updatedBy }));
  }

  /** Tells somebody who joins that what they say is transcribed. */
  inform(personId: string): void {
    const notice = this.#notice();
    if (notice !== undefined) this.#audience.tell(personId, notice);
  }

  hear(personId: string, pcm: Int16Array): void {
    this.#going?.transcript?.hear(personId, pcm);
  }

  leave(personId: string): void {
    this.#going?.transcript?.leave(personId);
  }

  /** Ends without telling anybody: nobody is left. */
  end(): void {
    this.#going?.transcript?.close();
    this.#going = undefined;
  }

  #begun(going: Going, transcript: MeetingTranscript): void {
    if (this.#going !== going) {
      transcript.close();
      return;
    }
    going.transcript = transcript;
    this.#audience.tellAll(this.#notice() ?? {});
  }

  #refused(going: Going, error: unknown): void {
    if (this.#going === going) this.#going = undefined;
    const errorMsg = error instanceof ServiceError ? error.message : 'Speech cannot be recognised now.';
    this.#audience.tell(going.startedBy, { action: 'transcription-error', errorMsg });
  }

  #notice(): object | undefined {
    const { startedBy, language, transcript } = this.#going ?? {};
    if (transcript === undefined) return undefined;
    return { action: 'transcription-started', language, model: transcript.model, startedBy };
  }
}
