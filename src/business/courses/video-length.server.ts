import { programFile } from '../../kernel/concurrency/program-file.ts';
import { askOnce } from '../../kernel/concurrency/worker-client.server.ts';
import type { VideoLength } from './video-length-process.server.ts';

const ENTRY = programFile('src/business/courses/video-length-process.server.ts');
/** A file that takes longer to read is made to; WebM without an index is read to its end. */
const PATIENCE_MS = 60_000;

/**
 * Length of a video file in seconds, read by a process that lives as long as the question: what a damaged or hostile
 * file does to its reader ends with it.
 */
export async function readVideoLength(file: string): Promise<VideoLength> {
  try {
    return await askOnce<{ file: string }, VideoLength>(ENTRY, { file }, { patienceMs: PATIENCE_MS });
  } catch {
    return { fault: 'unreadable' };
  }
}
