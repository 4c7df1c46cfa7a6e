import type { Tracing } from '../../kernel/resources/tracing/tracing.ts';
import type { VoiceRecord } from '../records/voice-records.server.ts';
import { CallRunner } from './call-runner.server.ts';
import type { CallSetup } from './call-setup.server.ts';

/** Runs a call in a trace span of its own, from joining to report, with its type, its id and why it ended. */
export function runTraced(tracing: Tracing, call: VoiceRecord, setup: CallSetup): CallRunner {
  const span = tracing.begin('call', {
    kind: 'internal',
    facts: { 'northline.call_id': call.id, 'northline.call_type': String(call.type) },
  });
  if (span === undefined) return new CallRunner(setup);
  const ended: CallSetup['ended'] = async (outcome) => {
    try {
      await setup.ended(outcome);
    } finally {
      span.end({ 'northline.ended_reason': outcome.endedReason });
    }
  };
  return span.run(() => new CallRunner({ ...setup, ended }));
}
