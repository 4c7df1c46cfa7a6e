import { createReadStream } from 'node:fs';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { createScan } from '../../platform/storage/content/content-scan.server.ts';
import { signedObjectUrl } from '../../platform/storage/objects/object-signing.server.ts';
import { storeServerFile } from '../../platform/storage/uploads/server-file.server.ts';

/** The bucket of recordings; LIMITS.recordingBytes is its limit. */
const BUCKET = 'voice-recordings';

/** The forms in which a recording is stored: the sound, picture and sound in one, or the picture alone. */
const TYPES = { wav: 'audio/wav', mp4: 'video/mp4', webm: 'video/webm' } as const;
/** A form, named by its file's extension; the pictures of a meeting's people have numbers. */
export type RecordingType = keyof typeof TYPES | `${number}.webm`;

/** The media type of a form. */
export const mediaTypeOf = (type: RecordingType): string =>
  type === 'wav' || type === 'mp4' ? TYPES[type] : TYPES.webm;

const nameOf = (callId: string, type: RecordingType): string => `${callId}.${type}`;

/** A file on this machine that is to be stored. */
export interface RecordedFile {
  readonly callId: string;
  readonly type: RecordingType;
  readonly path: string;
  readonly bytes: number;
}

/** Too large, or infected: another attempt would be refused as well. */
const REFUSALS: ReadonlySet<number> = new Set([413, 422]);

/**
 * Stores a file of a recording together with its row, both or neither. A file that the store refuses for good
 * stays where it is: its row and the log say so, and there is no other attempt.
 *
 * @param also writes the row of the object, and returns it; undefined where the call was deleted meanwhile
 * @returns that row, or why nothing was stored
 * @throws ServiceError as an upload does, where another attempt may succeed
 */
export async function storeRecording<Row extends object>(
  resources: Resources,
  { callId, type, path, bytes }: RecordedFile,
  also: (queries: Queries, objectId: string) => Promise<Row | undefined>,
): Promise<Row | 'deleted' | 'refused'> {
  const kept: { row?: Row | undefined } = {};
  const scan = createScan(resources.settings, resources.log);
  // The file was made here, so its type needs no check.
  const check = { mimeType: mediaTypeOf(type), inspect: () => {}, finish: async () => {} };
  const source = piecesOf(path);
  try {
    await storeServerFile(
      { resources, scan },
      { bucketId: BUCKET, name: nameOf(callId, type), declared: bytes, overhead: 0, source, check },
      async (queries, objectId) => {
        kept.row = await also(queries, objectId);
        if (kept.row === undefined) throw new DeletedMeanwhile();
      },
    );
  } catch (error) {
    if (error instanceof DeletedMeanwhile) return 'deleted';
    if (!(error instanceof ServiceError && REFUSALS.has(error.status))) throw error;
    const { database, log } = resources;
    await database.run('update private.voice_recordings set refused = $2 where call_id = $1', [
      callId,
      error.code,
    ]);
    log.error({ callId, path, refused: error.code }, 'a recording was refused for good: its files stay here');
    return 'refused';
  }
  return kept.row ?? 'deleted';
}

/**
 * Opens the file when its first piece is read, and closes it however the reading ends, so that a refusal
 * opens nothing.
 */
async function* piecesOf(path: string): AsyncGenerator<Buffer> {
  yield* createReadStream(path) as AsyncIterable<Buffer>;
}

/** A signed address that plays a call's recording in ranges for `seconds`; undefined where it has none. */
export function signedRecording(
  resources: Resources,
  callId: string,
  seconds: number,
  type: RecordingType = 'wav',
): Promise<string | undefined> {
  return signedObjectUrl(resources, BUCKET, nameOf(callId, type), seconds);
}

/** The call was deleted while its recording was being stored. */
class DeletedMeanwhile extends Error {}
