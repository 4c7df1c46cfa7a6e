import { tmpdir } from 'node:os';
import path from 'node:path';
import { createActivityDetection } from '../../src/features/voice/activity/open-detector.server.ts';
import { spokenKnowledge } from '../../src/features/voice/dialogue/agency-knowledge.server.ts';
import { findRecogniser } from '../../src/features/voice/recognition/find-recogniser.server.ts';
import { type Decoder, openDecoder } from '../../src/features/voice/recognition/open-decoder.server.ts';
import { prepareModels } from '../../src/features/voice/recognition/prepare-models.server.ts';
import { AGENCY, openAgency } from './agency.ts';
import { type AskedRequest, askRequest } from './ask-request.ts';
import type { SpokenRequest } from './read-requests.ts';
import { SimulatedCall } from './simulate-call.ts';
import type { TestVoice } from './speak-requests.ts';

/** A line, a room or a way of speaking that lies between a voice and the recogniser. */
export type Condition = (pcm: Int16Array) => Int16Array;

/** Puts requests to the assistant aloud. */
export interface SpokenBench {
  ask(request: SpokenRequest, voice: TestVoice, condition?: Condition): Promise<AskedRequest>;
  close(): Promise<void>;
}

/** Some room before the first word. */
const LEAD = new Int16Array(4800);

/**
 * Opens detector and decoder for spoken requests, on the models of the product.
 *
 * @param options of the decoder that differ, for measuring
 * @returns null where PocketSphinx is not installed
 */
export async function openSpokenBench(
  options: Readonly<Record<string, string>> = {},
): Promise<SpokenBench | null> {
  const files = findRecogniser();
  if (!files) return null;
  const folder = path.join(tmpdir(), 'spoken-requests');
  const models = await prepareModels(files, spokenKnowledge(AGENCY), folder);
  const decoder = openDecoder({ ...files, ...models }, options);
  const detection = createActivityDetection();
  // The detector's worker alone does not keep a process alive.
  const stay = setInterval(() => {}, 60_000);
  return {
    ask: (request, voice, condition = (pcm) => pcm) => ask(request, voice, condition, decoder, detection),
    close() {
      clearInterval(stay);
      return detection.close();
    },
  };
}

async function ask(
  request: SpokenRequest,
  voice: TestVoice,
  condition: Condition,
  decoder: Decoder,
  detection: ReturnType<typeof createActivityDetection>,
): Promise<AskedRequest> {
  const agency = openAgency();
  decoder.forget();
  const call = new SimulatedCall(agency.dialogue, detection.open(), decoder);
  const say = async (said: string) => {
    const pcm = await voice.speak(said);
    const whole = new Int16Array(LEAD.length + pcm.length);
    whole.set(pcm, LEAD.length);
    return { said, ...(await call.say(condition(whole))) };
  };
  const asked = await askRequest(request, say, agency, () => call.hungUp);
  call.close();
  return asked;
}
