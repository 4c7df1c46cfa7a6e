import type { CallAssistant } from '../engines/engines.server.ts';

/** How a call is to be recorded. */
export interface RecordingPlan {
  /** What the assistant asks before anything is recorded. */
  readonly question: string;
  /** The question as the first words of a call. */
  readonly opening: string;
  /** Days that it is kept; undefined: as the installation has it. */
  readonly days: number | undefined;
  /** Whether the picture of the caller's camera belongs to it. */
  readonly video: boolean;
}

const QUESTION = 'May I record this call? Please say yes or no.';
const VIDEO_QUESTION = 'May I record this call, with the picture of your camera? Please say yes or no.';
/** Says what asks, where the question comes before the assistant's own first words. */
const OPENING = 'Hello, you are talking to an AI assistant.';

/** What a caller's line can carry. */
interface LineAbility {
  /** Whether it may have the picture of a camera: a telephone has none. */
  readonly camera: boolean;
}

/** Whether nothing of an assistant's calls and meetings is recorded, whoever asks for it. */
export const isNeverRecorded = ({ compliancePlan, hipaaEnabled }: CallAssistant): boolean =>
  hipaaEnabled === true || compliancePlan?.hipaaEnabled === true;

/**
 * Whether a call is to be recorded: some field asks for it and none says no, so that whoever may override one of
 * them can switch it off (docs/contracts/voice.md §8). Who wants the picture wants the sound with it, and has the
 * sound alone where the line carries no picture: nobody is asked for what they cannot give. Under HIPAA nothing is
 * recorded.
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
    // Who words the question words the greeting with it.
    opening: own || `${OPENING} ${usual}`,
    days: artifactPlan?.recordingRetentionDays,
    video,
  };
}
