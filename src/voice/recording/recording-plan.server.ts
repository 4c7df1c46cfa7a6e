import type { CallAssistant } from '../engines/engines.server.ts';

/** How a call is to be recorded. */
export interface RecordingPlan {
  /** What the assistant asks before anything is recorded. */
  readonly question: string;
  /** The question as the first words of a call. */
  readonly opening: string;
  /** Days that the recording is kept; undefined for the installation's setting. */
  readonly days: number | undefined;
  /** Whether the picture of the caller's camera is recorded too. */
  readonly video: boolean;
}

const QUESTION = 'May I record this call? Please say yes or no.';
const VIDEO_QUESTION = 'May I record this call, with the picture of your camera? Please say yes or no.';
/** Says that an AI asks, where the question comes before the assistant's own first words. */
const OPENING = 'Hello, you are talking to an AI assistant.';

/** What a caller's connection can carry. */
interface LineAbility {
  /** Whether it can carry the picture of a camera: a telephone cannot. */
  readonly camera: boolean;
}

/** Whether an assistant's calls and meetings are never recorded, even if somebody asks for it. */
export const isNeverRecorded = ({ compliancePlan, hipaaEnabled }: CallAssistant): boolean =>
  hipaaEnabled === true || compliancePlan?.hipaaEnabled === true;

/**
 * Whether and how a call is recorded: some field asks for it and none forbids it, so that everybody who may
 * override one field can switch recording off (docs/contracts/voice.md §8). With the picture the sound is
 * recorded too. Where the connection carries no picture, only the sound is recorded, and callers are not
 * asked about a picture that they cannot send. Under HIPAA nothing is recorded.
 */
export function recordingPlan(assistant: CallAssistant, { camera }: LineAbility): RecordingPlan | undefined {
  const { artifactPlan, recordingEnabled, compliancePlan } = assistant;
  const said = [artifactPlan?.recordingEnabled, recordingEnabled];
  const wantsPicture = artifactPlan?.videoRecordingEnabled === true;
  if (isNeverRecorded(assistant) || said.includes(false) || !(wantsPicture || said.includes(true)))
    return undefined;
  const video = wantsPicture && camera;
  const usual = video ? VIDEO_QUESTION : QUESTION;
  const { message } = (compliancePlan?.recordingConsentPlan ?? {}) as { message?: unknown };
  const own = typeof message === 'string' ? message.trim() : '';
  return {
    question: own || usual,
    // The assistant's own question includes the greeting before it.
    opening: own || `${OPENING} ${usual}`,
    days: artifactPlan?.recordingRetentionDays,
    video,
  };
}
