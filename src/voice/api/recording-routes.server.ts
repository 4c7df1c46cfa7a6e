import { Readable } from 'node:stream';
import type { MeetingArchive } from '../recording/meeting/meeting-archive.server.ts';
import type { RecordingStore } from '../recording/recording-store.server.ts';
import { URL_SECONDS } from '../recording/video-store.server.ts';
import { listSchema } from '../records/voice-resources.contract.ts';
import { idOf, parseVoice, type VoiceScope } from '../records/voice-scope.server.ts';

const PARTS = ['stereo', 'mono', 'customer', 'assistant'] as const;

/**
 * Mounts the recordings of calls: the sound as WAVE files (caller left and assistant right, both in one, or
 * one of them), and picture and sound in one as MP4 (docs/contracts/voice.md §8). Also mounts the recordings
 * of meetings.
 */
export function mountRecordings(
  { server, records }: VoiceScope,
  recordings: RecordingStore,
  archive: MeetingArchive,
): void {
  mountMeetingRecordings({ server, records }, archive);
  for (const part of PARTS) {
    server.get(`/call/:id/${part}-recording`, async (request, reply) => {
      const { id } = await records.find('call', idOf(request));
      const { bytes, sound } = await recordings.read(id, part);
      return reply
        .type('audio/wav')
        .header('content-length', bytes)
        .header('content-disposition', `attachment; filename="${id}-${part}.wav"`)
        .header('cache-control', 'private, no-store')
        .send(Readable.from(sound));
    });
  }
  server.get('/call/:id/video-recording', async (request, reply) => {
    const { id } = await records.find('call', idOf(request));
    const { bytes, type, video } = await recordings.readVideo(id);
    return reply
      .type(type)
      .header('content-length', bytes)
      .header('content-disposition', `attachment; filename="${id}.mp4"`)
      .header('cache-control', 'private, no-store')
      .send(video);
  });
}

/**
 * Mounts the recordings of meetings in the shapes of the published API: list, fetch and delete, with the
 * private key.
 */
function mountMeetingRecordings(
  { server, records }: Pick<VoiceScope, 'server' | 'records'>,
  archive: MeetingArchive,
): void {
  server.get('/recordings', async (request) => {
    const query = parseVoice(listSchema, request.query);
    const data = await archive.list(query);
    return { total_count: await records.count('recording', query), data };
  });
  server.get('/recordings/:id', async (request) => archive.find(idOf(request)));
  server.get('/recordings/:id/access-link', async (request) => {
    const { url, video, pictures } = await archive.links(idOf(request));
    const expires = Math.floor(Date.now() / 1000) + URL_SECONDS;
    return { download_link: url, expires, video, pictures };
  });
  server.delete('/recordings/:id', async (request) => {
    const id = idOf(request);
    await archive.remove(id);
    return { deleted: true, id };
  });
}
