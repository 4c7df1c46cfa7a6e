import { Readable } from 'node:stream';
import type { RecordingStore } from '../recording/recording-store.server.ts';
import { idOf, type VoiceScope } from '../records/voice-scope.server.ts';

const PARTS = ['stereo', 'mono', 'customer', 'assistant'] as const;

/**
 * Mounts the sound of calls that were recorded, as WAVE files: caller left and assistant right, both in one, or one of
 * them; and picture and sound in one, as MP4 (docs/contracts/voice.md §8).
 */
export function mountRecordings({ server, records }: VoiceScope, recordings: RecordingStore): void {
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
