/** The wire's name of the participant that the assistant speaks as (contract §1). */
export const ASSISTANT = { session: 'assistant', name: 'Vapi Speaker' } as const;

/** Somebody in the call, without tracks yet. */
export const personOf = (session_id: string, user_name: string, local: boolean, audio: boolean) => ({
  session_id,
  user_id: session_id,
  user_name,
  local,
  audio,
  video: false,
});
