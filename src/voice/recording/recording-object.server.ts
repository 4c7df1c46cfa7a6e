import { createReadStream } from 'node:fs';
import type { Queries } from '../../kernel/resources/database/database.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { createScan } from '../../platform/storage/content/content-scan.server.ts';
import { signedObjectUrl } from '../../platform/storage/objects/object-signing.server.ts';
import { storeOwnFile } from '../../platform/storage/uploads/own-file.server.ts';

const BUCKET = 'voice-recordings';

/** What a recording is stored as: the sound, picture and sound in one, or the picture alone. */
const TYPES = { wav: 'audio/wav', mp4: 'video/mp4', webm: 'video/webm' } as const;
/** Which of them, by the ending of its name. */
export type RecordingType = keyof typeof TYPES;

/** The media type of what a recording is stored as. */
export const mediaTypeOf = (type: RecordingType): string => TYPES[type];

const nameOf = (callId: string, type: RecordingType): string => `${callId}.${type}`;

/** A file on this machine that is to be stored. */
export interface RecordedFile {
  readonly callId: string;
  readonly type: RecordingType;
  readonly path: string;
  readonly bytes: number;
}

/**
 * Stores a file of a recording, with its row, both or neither.
 *
 * @param also writes the row of the object, and returns it; undefined where the call was deleted meanwhile
 * @returns that row; undefined where nothing was stored
 * @throws ServiceError as an upload does
 */
export async function storeRecording<Row>(
  resources: Resources,
  { callId, type, path, bytes }: RecordedFile,
  also: (queries: Queries, objectId: string) => Promise<Row | undefined>,
): Promise<Row | undefined> {
  const kept: { row?: Row | undefined } = {};
  const scan = createScan(resources.settings, resources.log);
  // What was made here needs no check of its type.
  const check = { mimeType: TYPES[type], inspect: () => {}, finish: async () => {} };
  const source = createReadStream(path);
  try {
    await storeOwnFile(
      { resources, scan },
      { bucketId: BUCKET, name: nameOf(callId, type), declared: bytes, overhead: 0, source, check },
      async (queries, objectId) => {
        kept.row = await also(queries, objectId);
        if (kept.row === undefined) throw new DeletedMeanwhile();
      },
    );
  } catch (error) {
    if (!(error instanceof DeletedMeanwhile)) throw error;
  }
  return kept.row;
}

/** An address of so many seconds that plays a call's recording, in ranges; undefined where it has none. */
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
