import type { EvidenceKind } from '../../calls/record/evidence.server.ts';
import type { DeskRecording, Unrecorded } from '../call-desk.contract.ts';

/** What is read of a call's record. */
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

/** What became of the picture of a call whose sound is kept, as its row says it. */
export function pictureOf(
  { artifactPlan }: RecordedBody,
  video: Exclude<DeskRecording['picture'], 'missing'>,
): DeskRecording['picture'] {
  return video ?? (artifactPlan?.videoRecordingEnabled === true ? 'missing' : null);
}

/** Why a call of which nothing is kept has no recording; null where none was to be made, or it goes on. */
export function whyUnrecorded(
  { status, erased }: RecordedBody,
  proved: readonly Proved[],
): Unrecorded | null {
  const about = (kind: EvidenceKind, member: string, value: unknown): Proved[] =>
    proved.filter((entry) => entry.kind === kind && entry.data?.[member] === value);
  const answers = about('consent', 'to', 'recording').map(({ data }) => data?.given === true);
  const wanted = answers.length > 0 || about('begun', 'recording', true).length > 0;
  if (status !== 'ended' || !wanted) return null;
  if (!answers.includes(true)) return { why: 'not-agreed', at: null };
  const deletion = about('deleted', 'what', 'recording').at(-1);
  if (deletion === undefined) return { why: 'lost', at: null };
  // Who has the words deleted has the sound of them deleted with them.
  const withdrawn = answers.at(-1) === false || erased === true;
  return { why: withdrawn ? 'withdrawn' : 'expired', at: deletion.at.toISOString() };
}
