import { useQuery } from '@tanstack/react-query';
import { SERVICES } from '../../../kernel/contract/routes.ts';
import { callServer } from '../../../ui/session/server-call.ts';
import type { AnalysisQueue, QueuePlace } from '../analysis-queue.contract.ts';
import { type FileRecord, isBeingAnalyzed } from '../file-record.web.ts';

/** Others' documents move the queue, so the page asks while one of its own is in it. */
const POLL_MS = 5000;

/** The places of documents in the queue, by the file's id; empty while none of them waits or is read. */
export function useAnalysisQueue(files: readonly FileRecord[]): ReadonlyMap<string, QueuePlace> {
  const isBusy = files.some(isBeingAnalyzed);
  const { data } = useQuery({
    queryKey: ['analysis-queue'],
    enabled: isBusy,
    refetchInterval: POLL_MS,
    queryFn: async ({ signal }): Promise<AnalysisQueue> => {
      const reply = await callServer(SERVICES.analysisQueue, { as: 'user', body: {}, signal });
      return reply.json() as Promise<AnalysisQueue>;
    },
  });
  return new Map(isBusy ? data?.documents.map((each) => [each.file_id, each]) : []);
}

const ORDINALS = [
  'Next',
  'Second',
  'Third',
  'Fourth',
  'Fifth',
  'Sixth',
  'Seventh',
  'Eighth',
  'Ninth',
  'Tenth',
] as const;

/** What the list says about a document in the queue; undefined if there is nothing to say. */
export function queueSentence({ place, seconds, page, pages }: QueuePlace): string | undefined {
  const read = page === null || pages === null ? undefined : `page ${page} of ${pages}`;
  if (place === null) return read === undefined ? undefined : `Reading ${read}, ${waitingTime(seconds)}.`;
  const order = ORDINALS[place - 1] ?? `Number ${place}`;
  const further = read === undefined ? '' : ` It goes on with ${read}.`;
  return `${order} in the queue, ${waitingTime(seconds)}.${further}`;
}

function waitingTime(seconds: number): string {
  if (seconds < 60) return 'less than a minute';
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return minutes === 1 ? 'about a minute' : `about ${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours === 1 ? 'about an hour' : `about ${hours} hours`;
}
