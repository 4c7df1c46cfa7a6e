import { PAGES } from '../../../kernel/contract/routes.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { languageOfUser } from '../../../kernel/resources/mailer/mail-language.ts';
import { openTemplates } from '../../../kernel/resources/mailer/mail-templates.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { ACTIVE } from './analysis-outcome.server.ts';

const NOTICE_JOB = 'mail-finished-analyses';
const POLICY = { retries: 5, retryDelaySeconds: 30, timeoutSeconds: 60, concurrency: 1 } as const;
/** Seconds between a request and the mail about it, so that a batch leads to one mail. */
const BATCH_SECONDS = 60;
/** Most names in a mail, and in a browser's notice; the list has all of them. */
const MOST_NAMES = 20;
const MOST_SHOWN = 3;

const SAID = ['ready', 'manyReady', 'moreReady', 'failed', 'manyFailed', 'moreFailed'] as const;
const VARIABLES = {
  'document-ready': SAID,
  'documents-ready': [...SAID, 'count'],
  'document-failed': SAID,
  'documents-failed': [...SAID, 'count'],
} as const;
const MAILS = openTemplates('business/documents/mails', VARIABLES);

type Parts = Pick<Resources, 'database' | 'jobs' | 'mailer' | 'push' | 'settings' | 'site' | 'siteUrl'>;
interface Batch {
  readonly userId: string;
  /** ISO time of the first request in the batch. */
  readonly since: string;
}

/** Notifies a user once about each batch of analyses, when the last of them has ended ("We'll notify you"). */
export function defineFinishedNotice(resources: Parts): void {
  const { database, jobs } = resources;
  jobs.define<Batch>(NOTICE_JOB, POLICY, async ({ data }) => {
    const ended = await tellFinishedAnalyses(resources, data);
    if (!ended) await database.transaction((queries) => addBatch(jobs, queries, data));
  });
}

/** Puts a request into the user's batch, in the transaction that starts the analysis. */
export function announceWhenFinished(
  jobs: Resources['jobs'],
  queries: Queries,
  userId: string,
): Promise<void> {
  return addBatch(jobs, queries, { userId, since: new Date().toISOString() });
}

function addBatch(jobs: Resources['jobs'], queries: Queries, batch: Batch): Promise<void> {
  const after = new Date(Date.now() + BATCH_SECONDS * 1000);
  return jobs.add(queries, NOTICE_JOB, batch, { after, key: batch.userId });
}

/**
 * Sends the notice about a batch: in the browsers that show notices, and by mail unless the user has switched these
 * mails off (`notices.analysis: false` in the user's metadata).
 *
 * @returns false while an analysis of the user is still running, so that nothing was sent
 */
export async function tellFinishedAnalyses(resources: Parts, { userId, since }: Batch): Promise<boolean> {
  return resources.database.transaction(async (queries) => {
    const active = await queries.maybe(
      `select 1 from private.analyses where user_id = $1 and state in ${ACTIVE} limit 1`,
      [userId],
    );
    if (active !== undefined) return false;
    const user = await queries.maybe(
      `select email, coalesce(raw_user_meta_data #>> '{notices,analysis}', 'true') <> 'false' as wanted
         from auth.users where id = $1`,
      [userId],
    );
    const files = await queries.many(
      `select distinct on (f.id) f.file_name, a.state from private.analyses a
         join public.user_files f on f.id = a.file_id and f.deleted_at is null
        where a.user_id = $1 and a.finished_at >= $2 order by f.id, a.finished_at desc`,
      [userId, since],
    );
    if (user === undefined || files.length === 0) return true;
    const ready = files.filter(({ state }) => state === 'completed').map(({ file_name: name }) => name);
    const failed = files.filter(({ state }) => state !== 'completed').map(({ file_name: name }) => name);
    const language = await languageOfUser(queries, userId);
    const kind = kindOf(ready.length, failed.length);
    const notice = MAILS.notice(resources, language, kind, wordsOf({ ready, failed }, MOST_SHOWN));
    await resources.push.send(queries, userId, { ...notice, path: PAGES.dashboard.path });
    if (user.email !== null && user.wanted)
      await resources.mailer.send(queries, {
        to: user.email,
        purpose: 'service',
        ...MAILS.mail(resources, language, kind, wordsOf({ ready, failed }, MOST_NAMES)),
      });
    return true;
  });
}

interface Outcome {
  readonly ready: readonly string[];
  readonly failed: readonly string[];
}

function kindOf(ready: number, failed: number): keyof typeof VARIABLES {
  if (ready === 0) return failed === 1 ? 'document-failed' : 'documents-failed';
  return ready === 1 ? 'document-ready' : 'documents-ready';
}

/** The values of the messages' placeholders, with at most `most` names of each kind. */
function wordsOf({ ready, failed }: Outcome, most: number) {
  const [some, others] = [listed(ready, most), listed(failed, most)];
  return {
    count: String(ready.length === 0 ? failed.length : ready.length),
    ready: some.all,
    manyReady: some.first,
    moreReady: some.more,
    failed: others.all,
    manyFailed: others.first,
    moreFailed: others.more,
  };
}

/** The names in one line: all of them, or the first ones and the number of the others. An unused line is empty. */
function listed(
  names: readonly string[],
  most: number,
): Readonly<Record<'all' | 'first' | 'more', readonly string[]>> {
  const line = names.toSorted().slice(0, most).join(', ');
  if (names.length <= most) return { all: names.length === 0 ? [] : [line], first: [], more: [] };
  return { all: [], first: [line], more: [String(names.length - most)] };
}
