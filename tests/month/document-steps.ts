import { randomUUID } from 'node:crypto';
import type { Field } from '../../packages/document-reader/src/contract/report.contract.ts';
import { UPLOADS_BUCKET } from '../../src/kernel/contract/limits.ts';
import { fileOf } from '../support/customers/analysis-customer.ts';
import type { Step } from './steps.ts';
import { ask, chosen, type Month, type Person, say, waitFor } from './world.ts';

const OPEN = ['queued', 'analyzing'];

/** Uploads a letter as the dashboard does, if there is a credit. */
export const upload: Step = async (_month, who, pick) => {
  const { client, id } = who;
  const bytes = Buffer.from(letter(pick));
  const credits = await creditsFor(who);
  const used = await client.rpc('use_credits', {
    ...{ p_user_id: id, p_amount: 1, p_description: 'Document Analysis' },
  });
  if (used.error !== null) throw used.error;
  if (used.data !== credits > 0) throw new Error(`with ${credits} credits an upload was ${used.data}`);
  if (used.data !== true) return;
  const path = `${id}/${randomUUID()}_letter.txt`;
  const stored = await client.storage.from(UPLOADS_BUCKET).upload(path, bytes, { contentType: 'text/plain' });
  if (stored.error !== null) throw stored.error;
  const recorded = await client
    .from('user_files')
    .insert({
      ...{ user_id: id, file_path: path, file_name: 'letter.txt', file_type: 'document' },
      ...{ file_size: bytes.length, mime_type: 'text/plain' },
    })
    .select('id')
    .single();
  if (recorded.error !== null) throw recorded.error;
  who.files.add(recorded.data.id);
};

/** Credits that the pages say an upload may take: the person's own, or of the team. */
export async function creditsFor({ client }: Person): Promise<number> {
  const [own, team] = await Promise.all([
    client.from('customers').select('credits').maybeSingle(),
    client.schema('northline_app').rpc('team_credits'),
  ]);
  return (own.data?.credits ?? 0) + Number(team.data);
}

const letter = (pick: number): string =>
  [
    `Invoice ${4000 + pick}`,
    'Harbour Supplies Ltd, 4 Quay Street, Bristol BS1 4DJ',
    'Invoice date: 3 May 2026',
    `Total: £${pick + 1},240.00`,
    'Please pay by 31 May 2026.',
  ].join('\n\n');

/** Has a document read, and waits for its report. */
export const analyse: Step = async (month, who, pick) => {
  const file = chosen([...who.files], pick);
  if (file === undefined) return;
  await say(who, 'analyze', { file_id: file }, ['too_many_analyses']);
  const status = await waitFor(async () => {
    const row = await fileOf(month.app, file);
    return OPEN.includes(row.status) ? undefined : row.status;
  });
  if (status !== 'analyzed') throw new Error(`a letter was not read: ${status}`);
};

/** The files of a person that have a report, and its fields, as the pages read them. */
export async function reportsOf({ client, id }: Person): Promise<{ file_id: string; fields: Field[] }[]> {
  const { data, error } = await client
    .schema('northline_app')
    .from('analysis_reports')
    .select('file_id, fields:report->fields')
    .eq('user_id', id)
    .order('file_id');
  if (error !== null) throw error;
  return data as never;
}

/** Corrects a fact of a report, or takes the correction back. */
export const correct: Step = async (_month, who, pick) => {
  const report = chosen(await reportsOf(who), pick);
  const field = chosen(report?.fields.filter(({ type }) => type === 'text') ?? [], pick >> 2);
  if (report === undefined || field === undefined) return;
  const value = pick % 5 === 0 ? null : `Corrected ${pick}`;
  await ask(who, 'correct-fact', { file_id: report.file_id, key: field.key, original: field.value, value });
};

/** Makes a link to a report. */
export const share: Step = async (month, who, pick) => {
  const report = chosen(await reportsOf(who), pick);
  if (report === undefined) return;
  const made = await say<{ url: string }>(who, 'share-report', { file_id: report.file_id, days: 7 }, [
    'too_many_shares',
  ]);
  if (made === undefined) return;
  const { data } = await who.client
    .schema('northline_app')
    .from('analysis_shares')
    .select('id')
    .order('created_at', { ascending: false })
    .limit(1)
    .single();
  const token = made.url.split('#')[1] ?? '';
  month.links.push({ token, id: String(data?.id), file: report.file_id, owner: who });
};

/** Withdraws a link. */
export const withdrawShare: Step = async (month, who, pick) => {
  const link = chosen(
    month.links.filter(({ owner }) => owner === who),
    pick,
  );
  if (link === undefined) return;
  await ask(who, 'withdraw-share', { share_id: link.id });
  endLinks(month, ({ token }) => token === link.token);
};

/** Deletes a file, as the page does, or only its report. */
export const deleteFile: Step = async (month, who, pick) => {
  const file = chosen([...who.files], pick);
  if (file === undefined) return;
  const reports = await reportsOf(who);
  if (pick % 3 === 0 && reports.some(({ file_id: id }) => id === file)) {
    await ask(who, 'delete-analysis', { file_id: file });
  } else {
    const { data } = await who.client.from('user_files').select('file_path').eq('id', file).single();
    const { error } = await who.client.from('user_files').delete().eq('id', file).eq('user_id', who.id);
    if (error !== null) throw error;
    await who.client.storage.from(UPLOADS_BUCKET).remove([String(data?.file_path)]);
    who.files.delete(file);
    for (const { shown } of month.teams) shown.delete(file);
  }
  endLinks(month, (link) => link.file === file);
};

/** From now on these links must show nothing. */
export function endLinks(month: Month, ended: (link: Month['links'][number]) => boolean): void {
  month.deadLinks.push(...month.links.filter(ended).map(({ token }) => token));
  month.links = month.links.filter((link) => !ended(link));
}
