import path from 'node:path';
import type { BookingStore } from '../../business/bookings/booking-store.server.ts';
import {
  readWeeklyHours,
  sayWeeklyHours,
  type WeeklyHours,
} from '../../business/bookings/weekly-hours.server.ts';
import type { Settings } from '../../kernel/config/settings.ts';
import { readPrices } from '../../kernel/config/voice-prices.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { conversationRules } from '../calls/conversation/conversation-rules.server.ts';
import { isSoundAddress } from '../calls/first-sound.server.ts';
import { createAgencyDialogue } from '../dialogue/agency-dialogue.server.ts';
import { type AgencyKnowledge, spokenKnowledge } from '../dialogue/agency-knowledge.server.ts';
import { bookingTools, withReleasedTimes } from '../dialogue/call-bookings.server.ts';
import type { DialogueTools, SpokenEnquiry } from '../dialogue/dialogue-tools.server.ts';
import { createMeaning } from '../dialogue/knowledge/meaning-client.server.ts';
import { spokenPrompt, warmMeaning } from '../dialogue/knowledge/prompt-warming.server.ts';
import { handoverTools } from '../dialogue/model/handover-tools.server.ts';
import { briefModel, briefPrompt } from '../dialogue/model/model-briefing.server.ts';
import { modelTools } from '../dialogue/model/model-tools.server.ts';
import { createPromptDialogue } from '../dialogue/prompt-dialogue.server.ts';
import { rehearsedTools } from '../dialogue/rehearsed-tools.server.ts';
import { withSpokenTools } from '../dialogue/spoken-tools.server.ts';
import { limitTools } from '../dialogue/tool-limits.server.ts';
import { COMMON_WAYS } from '../dialogue/topics/common-questions.server.ts';
import { createActivityDetection } from '../engines/activity/detector-client.server.ts';
import type {
  CallAssistant,
  CallContext,
  DialogueManager,
  EnginePrices,
  VoiceEngines,
} from '../engines/engines.server.ts';
import { keepModels } from '../engines/recognition/model-cache.server.ts';
import type { PreparedModels } from '../engines/recognition/model-preparation.server.ts';
import { weightsInstalled } from '../engines/recognition/moonshine-weights.server.ts';
import { createRecogniser } from '../engines/recognition/recogniser-client.server.ts';
import { createSpeaker, ownVoiceNamed, type SpokenAs } from '../engines/speech/speech-client.server.ts';
import { openFileKnowledge } from '../files/file-answers.server.ts';
import { createVoiceRecords } from '../records/voice-records.server.ts';
import { isAgencys, promptOf, sentencesOf } from './assistant-prompt.server.ts';
import { createOwnTools } from './assistant-tools.server.ts';
import { createProviderChooser } from './call-providers.server.ts';
import { withProviders } from './provider-engines.server.ts';

/** What calls may do in other parts of the product; `app.ts` provides it. */
export interface VoiceWork {
  readonly bookings: BookingStore;
  /** Stores an enquiry that a caller gave. */
  takeEnquiry(enquiry: SpokenEnquiry, callId: string): Promise<{ readonly id: string }>;
}

/** Most sentences of an assistant's files whose words the recogniser learns. */
const FILE_SENTENCES = 200;
const CLOSED: WeeklyHours = new Map();
const FREE = { stt: 0, tts: 0, prompt: 0, completion: 0 };
/** What every assistant says, made in advance where nothing else is to do. */
const OFTEN_SAID = ['Mm-hm.', 'One moment, please.'];

/**
 * The engines of calls. Embedded ones need no key and no network: Silero, Moonshine, a voice and a dialogue
 * from the agency's own facts. Configured providers come before them. Nothing is loaded before the first
 * call.
 */
export function createVoiceEngines(resources: Resources, work: VoiceWork): VoiceEngines {
  const { settings, site, database } = resources;
  const detection = createActivityDetection();
  const speaker = createSpeaker({ dataDir: settings.DATA_DIR });
  const recogniser = weightsInstalled() ? createRecogniser() : null;
  const models = keepModels(path.join(settings.DATA_DIR, 'speech-models'));
  const meaning = createMeaning();

  const knowledgeOf = (assistant: CallAssistant): AgencyKnowledge =>
    knowledgeFor(resources, readWeeklyHours(settings.VOICE_HOURS) ?? CLOSED, assistant);
  const toolsOf = (call: CallContext): DialogueTools => callTools(work, database, call);
  async function modelsFor(assistant: CallAssistant): Promise<PreparedModels> {
    const fromFiles = (await openFileKnowledge(database, assistant)?.sentences(FILE_SENTENCES)) ?? [];
    const spoken = isAgencys(assistant)
      ? spokenKnowledge(knowledgeOf(assistant))
      : spokenPrompt(promptOf(assistant));
    return models.for({ ...spoken, sentences: [...spoken.sentences, ...fromFiles] });
  }

  function dialogueOf(call: CallContext): DialogueManager {
    const { assistant } = call;
    const files = openFileKnowledge(database, assistant);
    const common = { zone: settings.TIME_ZONE, tools: toolsOf(call), consult: files?.answer };
    const { embedSoon: embed } = meaning;
    if (isAgencys(assistant)) {
      // Vectors are made during the greeting; a question that comes sooner is answered by the rules alone.
      meaning.embed(COMMON_WAYS).catch(() => {});
      const fileSentences = files?.sentences;
      return createAgencyDialogue({ ...common, embed, fileSentences, known: knowledgeOf(assistant) });
    }
    const prompt = promptOf(assistant);
    return createPromptDialogue({ ...common, site, prompt, name: assistant.name ?? null, embed });
  }

  const ownTools = createOwnTools(resources.outbound);
  const embedded: VoiceEngines = {
    recognition: recogniser ? 'speech' : 'typed-only',
    async warm(assistant, sound) {
      const facts = isAgencys(assistant) ? undefined : warmMeaning(promptOf(assistant), meaning.embed);
      if (sound === 'silent') return facts;
      const voice = speaker.warm(spokenAs(assistant), textsOf(assistant));
      const heard = recogniser && modelsFor(assistant);
      await Promise.all([detection.warm(), voice, recogniser?.warm(), heard, facts]);
    },
    openDetector: async () => detection.open(),
    async openRecogniser({ assistant, log }: CallContext) {
      if (!recogniser) throw new Error('The weights of the recogniser are not installed; callers type.');
      // A caller is answered before the words of a new prompt are learned.
      return recogniser.open(modelsFor(assistant), log);
    },
    openVoice: async (call) => speaker.open(spokenAs(call.assistant)),
    ownVoice: (assistant) => ownVoiceNamed(assistant, speaker),
    openDialogue: async (call) => withSpokenTools(dialogueOf(call), await ownTools(call)),
    async close() {
      recogniser?.close();
      await Promise.all([detection.close(), speaker.close(), models.close(), meaning.close()]);
    },
  };
  const provided = withProviders(
    settings,
    { ...embedded, prices: pricesOf(settings) },
    {
      system: ({ assistant }) =>
        isAgencys(assistant)
          ? briefModel(knowledgeOf(assistant), promptOf(assistant), settings.TIME_ZONE)
          : briefPrompt(promptOf(assistant), settings.TIME_ZONE),
      tools: async (call) => ({
        ...(await ownTools(call)),
        ...handoverTools(call),
        ...modelTools(toolsOf(call), settings.TIME_ZONE),
      }),
      context: ({ assistant }) => openFileKnowledge(database, assistant)?.context,
    },
    createProviderChooser(resources, createVoiceRecords(resources, resources.keys.voice_org_id)),
  );
  return withReleasedTimes(provided, work.bookings);
}

/** The tools of a dialogue in a call; a rehearsal gets tools without effects. */
function callTools(
  { bookings, takeEnquiry }: VoiceWork,
  database: Resources['database'],
  { callId, rehearsal }: CallContext,
): DialogueTools {
  const booking = bookingTools(bookings, database, callId);
  return limitTools(
    rehearsal === undefined
      ? { ...booking, takeEnquiry: (enquiry) => takeEnquiry(enquiry, callId) }
      : rehearsedTools(booking),
  );
}

/** The prices of the configured providers at each moment; the embedded engines are free. */
function pricesOf(settings: Settings): EnginePrices {
  const price = (setting: 'VOICE_STT_URL' | 'VOICE_TTS_URL' | 'VOICE_LLM_URL', name: keyof typeof FREE) =>
    settings[setting] === '' ? 0 : (readPrices(settings.VOICE_PRICES) ?? FREE)[name];
  return {
    get sttPerMinute() {
      return price('VOICE_STT_URL', 'stt');
    },
    get ttsPer1000Characters() {
      return price('VOICE_TTS_URL', 'tts');
    },
    get llmPer1000PromptTokens() {
      return price('VOICE_LLM_URL', 'prompt');
    },
    get llmPer1000CompletionTokens() {
      return price('VOICE_LLM_URL', 'completion');
    },
  };
}

/** How an assistant's embedded voice speaks. Settings for another provider's voice are not its own. */
function spokenAs({ voice, pronunciations }: CallAssistant): SpokenAs {
  const { provider = 'embedded', voiceId, speed } = (voice ?? {}) as Readonly<Record<string, unknown>>;
  const own = provider === 'embedded';
  return {
    voice: own && typeof voiceId === 'string' ? voiceId : undefined,
    speed: own && typeof speed === 'number' ? speed : undefined,
    pronunciations,
  };
}

/** Texts that the assistant will say in many calls, the first one first. */
function textsOf(assistant: CallAssistant): string[] {
  const { endCallMessage, messagePlan } = assistant;
  const { firstMessage } = conversationRules(assistant);
  const said = isSoundAddress(firstMessage) ? '' : firstMessage;
  return [said, endCallMessage ?? '', ...(messagePlan?.idleMessages ?? []), ...OFTEN_SAID];
}

/** What an assistant of the agency knows. */
function knowledgeFor(
  { settings, site }: Resources,
  hours: WeeklyHours,
  assistant: CallAssistant,
): AgencyKnowledge {
  return {
    site,
    brand: settings.BRAND,
    contactEmail: settings.CONTACT_EMAIL,
    hours: sayWeeklyHours(hours),
    week: hours,
    sentences: sentencesOf(assistant),
  };
}
