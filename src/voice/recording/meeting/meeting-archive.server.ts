import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import type { VoiceRecord, VoiceRecords } from '../../records/voice-records.server.ts';
import type { ListQuery } from '../../records/voice-resources.contract.ts';
import { type RecordingType, signedRecording } from '../recording-object.server.ts';
import { URL_SECONDS } from '../video-store.server.ts';
import type { MeetingRecord, RecordedPerson } from './meeting-record.contract.ts';
import type { TapeNote } from './meeting-tape.server.ts';

/** The addresses of a recording's parts. They work for an hour and serve ranges. */
export interface RecordingLinks {
  /** Picture and sound in one file, or the sound where there is no such file. */
  readonly url: string;
  readonly video: boolean;
  /** The picture of each person, where the pictures stayed separate files. */
  readonly pictures: readonly { readonly participant: string; readonly url: string }[];
}

/** The stored recordings of meetings, in the shapes of the published API (docs/voice-api.md, Rooms). */
export interface MeetingArchive {
  list(query: ListQuery): Promise<object[]>;
  /** @throws ServiceError 404 `not_found` */
  find(id: string): Promise<object>;
  /**
   * @throws ServiceError 404 `no_recording` while it is being made and where nothing was stored, 409
   * `recording_refused`
   */
  links(id: string): Promise<RecordingLinks>;
  /** Deletes a recording for good. @throws ServiceError 404 `not_found`, 409 `recording_goes_on` */
  remove(id: string): Promise<void>;
}

/** What the row of a recording says. */
interface RecordingRow {
  readonly call_id: string;
  readonly object_id: string | null;
  readonly refused: string | null;
  readonly seconds: string | null;
  readonly video: string | null;
  readonly expires_at: Date;
}

/** Opens the installation's stored recordings of meetings. */
export function openMeetingArchive(
  resources: Resources,
  records: Pick<VoiceRecords, 'list' | 'find' | 'remove'>,
  evidence: { add(queries: Queries, recordingId: string, note: TapeNote): Promise<void> },
): MeetingArchive {
  const { database } = resources;
  const rowsOf = async (ids: readonly string[]): Promise<ReadonlyMap<string, RecordingRow>> => {
    const rows = await database.many(
      `select call_id, object_id, refused, seconds, video, expires_at from private.voice_recordings
        where call_id = any($1::uuid[])`,
      [ids],
    );
    return new Map(rows.map((row) => [row.call_id, row]));
  };
  return {
    async list(query) {
      const found = await records.list('recording', query);
      const rows = await rowsOf(found.map(({ id }) => id));
      return found.map((record) => shown(record, rows.get(record.id)));
    },
    async find(id) {
      return shown(await records.find('recording', id), (await rowsOf([id])).get(id));
    },
    async links(id) {
      const { participants } = (await records.find('recording', id)) as unknown as MeetingRecord;
      const row = (await rowsOf([id])).get(id);
      if (row?.object_id === null && row.refused !== null) throw refused();
      if (row?.object_id == null) throw noRecording();
      return recordingLinks(resources, id, { participants, video: row.video });
    },
    async remove(id) {
      await records.find('recording', id);
      const row = (await rowsOf([id])).get(id);
      if (row !== undefined && row.object_id === null && row.refused === null)
        throw new ServiceError(409, 'recording_goes_on', 'This recording goes on. Please stop it first.');
      await records.remove('recording', id);
      await database.transaction((queries) =>
        evidence.add(queries, id, { kind: 'deleted', data: { what: 'recording' } }),
      );
    },
  };
}

/**
 * The addresses of a stored recording's parts.
 *
 * @throws ServiceError 404 `no_recording` where it was deleted meanwhile
 */
export async function recordingLinks(
  resources: Resources,
  id: string,
  {
    participants,
    video,
  }: { readonly participants: readonly RecordedPerson[]; readonly video: string | null },
): Promise<RecordingLinks> {
  const address = (type: RecordingType): Promise<string | undefined> =>
    signedRecording(resources, id, URL_SECONDS, type);
  const url = await address(video === 'composed' ? 'mp4' : 'wav');
  if (url === undefined) throw noRecording();
  const pictures: { participant: string; url: string }[] = [];
  for (const { number, user_name: name } of video === 'separate' ? participants : []) {
    const picture = await address(`${number}.webm`);
    if (picture !== undefined) pictures.push({ participant: name, url: picture });
  }
  return { url, video: video === 'composed', pictures };
}

/** The state of the pictures of a recording whose sound was stored, in one word. */
const PICTURES: Readonly<Record<string, string>> = {
  recorded: 'composing',
  composed: 'composed',
  separate: 'separate',
};

function shown({ id, createdAt, ...body }: VoiceRecord, row: RecordingRow | undefined): object {
  const { room_name, participants, video, started_by } = body as unknown as MeetingRecord;
  const isRefused = row?.refused != null;
  const goesOn = row !== undefined && row.object_id === null && !isRefused;
  return {
    ...{ id, room_name, started_by, start_ts: Math.floor(Date.parse(createdAt) / 1000) },
    status: goesOn ? 'in-progress' : 'finished',
    duration: row?.seconds == null ? null : Number(row.seconds),
    max_participants: participants.filter(({ voice_only: isVoice }) => isVoice !== true).length,
    participants,
    pictures: isRefused ? 'refused' : video ? (PICTURES[row?.video ?? ''] ?? 'none') : 'none',
    expires_at: row?.expires_at.toISOString() ?? null,
  };
}

const noRecording = (): ServiceError =>
  new ServiceError(404, 'no_recording', 'Nothing of this meeting is kept, or it is not stored yet.');
const refused = (): ServiceError =>
  new ServiceError(
    409,
    'recording_refused',
    'This recording was not stored, as it is too large or was taken for malware: its files are on the server that made it.',
  );
