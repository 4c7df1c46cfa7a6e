import type { EvidenceKind } from '../../calls/record/evidence.server.ts';
import type { ConsoleRecording, Unrecorded } from '../call-list.contract.ts';

/** The members of a call's record that are read. */
interface RecordedBody {
  readonly status?: unknown;
  readonly erased?: unknown;
  readonly artifactPlan?: { readonly videoRecordingEnabled?: unknown };
}

/** What the evidence of a call proves. */
interface Proved {
  readonly kind: EvidenceKind | null;
  readonly at: Date;
  readonly data: Readonly<Record<string, unknown>> | null;
}

/** The row of a recording, also of one that the store refused for good (decision 0484). */
interface RecordedRow {
  readonly recording_video: Exclude<ConsoleRecording['picture'], 'missing' | 'refused'>;
  readonly recording_refused: boolean | null;
}

/** The state of the picture of a call whose sound is stored. */
export function pictureOf(
  { artifactPlan }: RecordedBody,
  { recording_video: video, recording_refused: refused }: RecordedRow,
): ConsoleRecording['picture'] {
  if (video === 'recorded' && refused === true) return 'refused';
  return video ?? (artifactPlan?.videoRecordingEnabled === true ? 'missing' : null);
}

/**
 * Why a call without a stored recording has none; null where none was to be made, or the call is in progress.
 */
export function whyUnrecorded(
  { status, erased }: RecordedBody,
  proved: readonly Proved[],
  { recording_refused: refused }: Pick<RecordedRow, 'recording_refused'>,
): Unrecorded | null {
  const about = (kind: EvidenceKind, member: string, value: unknown): Proved[] =>
    proved.filter((entry) => entry.kind === kind && entry.data?.[member] === value);
  const answers = about('consent', 'to', 'recording').map(({ data }) => data?.given === true);
  const wanted = answers.length > 0 || about('begun', 'recording', true).length > 0;
  if (status !== 'ended' || !wanted) return null;
  if (!answers.includes(true)) return { why: 'not-agreed', at: null };
  const deletion = about('deleted', 'what', 'recording').at(-1);
  if (deletion === undefined) return { why: refused === true ? 'refused' : 'lost', at: null };
  // Deleting a call's words also deletes its sound.
  const withdrawn = answers.at(-1) === false || erased === true;
  return { why: withdrawn ? 'withdrawn' : 'expired', at: deletion.at.toISOString() };
}
