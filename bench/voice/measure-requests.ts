import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ModelRuntime } from '@northline/speech/model-runtime';
import { joined } from '../../packages/telephone-audio/src/sounds.fixture.ts';
import { spokenKnowledge } from '../../src/voice/dialogue/agency-knowledge.server.ts';
import { createActivityDetection } from '../../src/voice/engines/activity/detector-client.server.ts';
import { prepareModels } from '../../src/voice/engines/recognition/model-preparation.server.ts';
import { AGENCY, openAgency } from './support/agency.ts';
import { SimulatedCall } from './support/call-simulation.ts';
import { type AskedRequest, askRequest } from './support/request-ask.ts';
import type { SpokenRequest } from './support/request-file.ts';
import { openSoundReader, type SoundReader } from './support/sound-reader.ts';
import type { TestVoice } from './support/spoken-requests.ts';

/** A telephone line, a room or a way of speaking between a voice and the recogniser. */
export type Condition = (pcm: Int16Array) => Int16Array;

/** Speaks requests to the assistant. */
export interface SpokenBench {
  ask(request: SpokenRequest, voice: TestVoice, condition?: Condition): Promise<AskedRequest>;
  /** The recognised text of a sound in a call. */
  hear(pcm: Int16Array): Promise<string>;
  close(): Promise<void>;
}

/** Some silence before the first word. */
const LEAD = new Int16Array(4800);

/** Opens detector and recogniser for spoken requests, with the product's models. */
export async function openSpokenBench(runtime?: ModelRuntime): Promise<SpokenBench> {
  const folder = path.join(tmpdir(), 'spoken-requests');
  const models = await prepareModels(spokenKnowledge(AGENCY), folder);
  const reader = await openSoundReader(models, runtime);
  const detection = createActivityDetection();
  // The detector's worker alone does not keep the process alive.
  const stay = setInterval(() => {}, 60_000);
  return {
    ask: (request, voice, condition = (pcm) => pcm) => ask({ request, voice, condition }, reader, detection),
    async hear(pcm) {
      const call = new SimulatedCall(openAgency().dialogue, detection.open(), reader);
      const { heard } = await call.say(joined([LEAD, pcm]));
      call.close();
      return heard;
    },
    close() {
      clearInterval(stay);
      return detection.close();
    },
  };
}

async function ask(
  { request, voice, condition }: { request: SpokenRequest; voice: TestVoice; condition: Condition },
  reader: SoundReader,
  detection: ReturnType<typeof createActivityDetection>,
): Promise<AskedRequest> {
  const agency = openAgency();
  const call = new SimulatedCall(agency.dialogue, detection.open(), reader);
  const say = async (said: string) => {
    const pcm = await voice.speak(said);
    return { said, ...(await call.say(condition(joined([LEAD, pcm])))) };
  };
  const asked = await askRequest(request, say, agency, () => call.hungUp);
  call.close();
  return asked;
}
