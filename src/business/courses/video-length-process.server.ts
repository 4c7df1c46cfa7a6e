import { FilePathSource, Input, MP4, QTFF, WEBM } from 'mediabunny';
import { serveWorkerRequests } from '../../kernel/concurrency/worker-server.server.ts';

/** What the worker found: seconds, or what is wrong with the file. */
export type VideoLength = { readonly seconds: number } | { readonly fault: 'unreadable' | 'noPicture' };

/**
 * Reads videos in a process of its own, which can be ended. The length is that of the last frame's end: what a
 * header claims is not asked.
 */
serveWorkerRequests(async ({ file }: { file: string }): Promise<VideoLength> => {
  const input = new Input({ formats: [MP4, QTFF, WEBM], source: new FilePathSource(file) });
  try {
    if ((await input.getPrimaryVideoTrack()) === null) return { fault: 'noPicture' };
    const seconds = await input.computeDuration();
    return Number.isFinite(seconds) && seconds > 0 ? { seconds } : { fault: 'unreadable' };
  } catch {
    return { fault: 'unreadable' };
  } finally {
    input.dispose();
  }
});
