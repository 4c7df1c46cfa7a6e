import path from 'node:path';
import { createWorkerClient } from '../../kernel/concurrency/worker-client.server.ts';
import { PROJECT_ROOT } from '../../kernel/config/project-root.ts';
import type { VideoLength } from './video-length-process.server.ts';

const ENTRY = path.join(PROJECT_ROOT, 'src', 'business', 'courses', 'video-length-process.server.ts');
/** A file that takes longer to read is made to; WebM without an index is read to its end. */
const PATIENCE_MS = 60_000;

/**
 * Length of a video file in seconds, read by a thread that lives as long as the question: what a damaged or hostile
 * file does to its reader ends with it.
 */
export async function readVideoLength(file: string): Promise<VideoLength> {
  const worker = createWorkerClient<{ file: string }, VideoLength>(ENTRY);
  const timer = setTimeout(() => void worker.close(), PATIENCE_MS);
  try {
    return await worker.ask({ file });
  } catch {
    return { fault: 'unreadable' };
  } finally {
    clearTimeout(timer);
    await worker.close();
  }
}
