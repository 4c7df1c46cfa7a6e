import type { CallAssistant } from '../engines/engines.server.ts';

/** How a call is to be recorded. */
export interface RecordingPlan {
  /** What the assistant asks before anything is recorded. */
  readonly question: string;
  /** Days that it is kept; undefined: as the installation has it. */
  readonly days: number | undefined;
}

const QUESTION = 'May I record this call? Please say yes or no.';

/**
 * Whether a call is to be recorded: some field asks for it and none says no, so that whoever may override one of
 * them can switch it off (docs/contracts/voice.md §8). Under HIPAA nothing is recorded.
 */
export function recordingPlan(assistant: CallAssistant): RecordingPlan | undefined {
  const { artifactPlan, recordingEnabled, compliancePlan, hipaaEnabled } = assistant;
  const said = [artifactPlan?.recordingEnabled, recordingEnabled];
  const secret = hipaaEnabled === true || compliancePlan?.hipaaEnabled === true;
  if (secret || said.includes(false) || !said.includes(true)) return undefined;
  const { message } = (compliancePlan?.recordingConsentPlan ?? {}) as { message?: unknown };
  return {
    question: typeof message === 'string' && message.trim() !== '' ? message.trim() : QUESTION,
    days: artifactPlan?.recordingRetentionDays,
  };
}
