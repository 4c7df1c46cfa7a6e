import { writeWave } from '@northline/speech/wave-file';
import { z } from 'zod';
import {
  declareOperatorWork,
  type OperatorScope,
  signAsOperator,
} from '../../../business/console/operator-gate.server.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { costsByCredential, costWithoutCall } from '../../calls/record/call-report.server.ts';
import type { DailyCaps } from '../../calls/record/daily-caps.server.ts';
import { CallMeter } from '../../engines/call-meter.server.ts';
import type { CallAssistant, VoiceEngines } from '../../engines/engines.server.ts';
import { assistantSchema } from '../../records/voice-assistant.contract.ts';
import { parseVoice } from '../../records/voice-scope.server.ts';
import { ENGINE, PRONUNCIATIONS, pronunciationsIn } from './assistant-draft.server.ts';
import { ASSISTANT_LENGTHS, type VoicePreview } from './assistant-editor.contract.ts';

const PATIENCE_MS = 20_000;
/** A provider may charge for each preview. */
const A_MINUTE = 20;

const SAMPLES_A_MINUTE = 16_000 * 60;

/** What previews use. */
interface PreviewWork {
  readonly engines: VoiceEngines;
  readonly caps: DailyCaps;
}

/**
 * `POST operator-voice-preview`: speaks a sentence in a voice, as calls do. It is audited, since a provider
 * may charge for it, and if it costs something it counts towards the daily caps.
 */
export function serveVoicePreview(scope: OperatorScope, work: PreviewWork): void {
  const { database, log } = scope.resources;
  declareOperatorWork(scope, {
    name: 'voice-preview',
    input: z.object({
      voice: ENGINE,
      text: z.string().trim().min(1).max(ASSISTANT_LENGTHS.preview),
      pronunciations: PRONUNCIATIONS.default([]),
    }),
    perMinute: A_MINUTE,
    async work(caller, { voice: { provider, choice }, text, pronunciations }): Promise<VoicePreview> {
      const voice = { provider, ...(choice === '' ? {} : { voiceId: choice }) };
      const said = pronunciationsIn(pronunciations);
      const assistant = parseVoice(
        assistantSchema,
        said === undefined ? { voice } : { voice, pronunciations: said },
      );
      const asked = { callId: 'preview', assistant, log: () => {} };
      if ((await work.engines.charges?.(asked, 'voice')) === true) await work.caps.admitTrial();
      const details = { provider, choice, characters: text.length };
      await database.transaction((queries) =>
        signAsOperator(queries, caller, { action: 'assistant.preview', subject: provider, details }),
      );
      try {
        return await speak(work, assistant, text);
      } catch (error) {
        log.warn({ err: error }, 'a voice could not be heard');
        throw new ServiceError(
          502,
          'voice_failed',
          'This voice could not be heard. Check its name and the credential of its provider.',
          { cause: error },
        );
      }
    },
  });
}

/** @throws Error when nothing is spoken in time */
async function speak(
  { engines, caps }: PreviewWork,
  assistant: CallAssistant,
  text: string,
): Promise<VoicePreview> {
  const warnings: string[] = [];
  const meter = new CallMeter();
  const stream = await engines.openVoice({
    callId: 'preview',
    assistant,
    meter,
    // In a call a provider that fails is replaced; here its failure has to be reported.
    log: (level, line) => void (['WARN', 'ERROR'].includes(level) && warnings.push(line)),
  });
  const pieces: Int16Array[] = [];
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    for await (const piece of stream.speak(text, signal)) pieces.push(piece);
    if (pieces.length === 0 || signal.aborted) throw new Error('nothing was spoken in time');
    return { sound: writeWave(pieces).toString('base64'), warnings };
  } finally {
    stream.close();
    // The request is charged, whatever its result.
    const charged = meter.costs();
    const samples = pieces.reduce((sum, { length }) => sum + length, 0);
    await caps.count({
      kind: 'preview',
      minutes: samples / SAMPLES_A_MINUTE,
      cost: costWithoutCall({ characters: text.length, charged }, engines.prices),
      costs: costsByCredential(charged).costs ?? [],
    });
  }
}
