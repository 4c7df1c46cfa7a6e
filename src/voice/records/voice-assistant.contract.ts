import { z } from 'zod';
import { readEndpointRule } from './endpoint-rules.contract.ts';
import { eventServer, httpUrl, jsonObject, seconds, shortName } from './voice-fields.contract.ts';
import { toolSchema } from './voice-tool.contract.ts';
import { websiteSchema } from './website.contract.ts';

const PROVIDER_LENGTH = 60;
const MAX_TEXT = 20_000;

const text = z.string().max(MAX_TEXT);
/** A part whose further fields belong to the provider that it names (docs/contracts/voice.md §3). */
const providerPart = z.looseObject({ provider: z.string().min(1).max(PROVIDER_LENGTH) });

/** The signs of the embedded voice's phonemes: British English, as in the voice's lexicon. */
const PHONEMES = /^[AIQWYabdfhijklmnpstuvwzðŋɑɐɒɔəɛɜɡɪɹʃʊʌʒʤʧˈˌːθᵊ ]+$/;
/** How the embedded voice says a word: plain spelling, or phonemes between slashes. */
const pronunciation = z
  .string()
  .trim()
  .min(1)
  .max(120)
  .refine((how) => !how.startsWith('/') || (/^\/.+\/$/.test(how) && PHONEMES.test(how.slice(1, -1))), {
    message: 'is plain spelling, or phonemes of the voice between slashes, such as /nˈiːv/',
  });
/** Words, and how the embedded voice says them. */
const pronunciations = z
  .record(z.string().trim().min(1).max(60), pronunciation)
  .refine((words) => Object.keys(words).length <= 200, { message: 'has more than 200 words' });

const CLIENT_MESSAGES = [
  'assistant.speechStarted',
  'assistant.started',
  'conversation-update',
  'function-call',
  'function-call-result',
  'hang',
  'language-changed',
  'metadata',
  'model-output',
  'speech-update',
  'status-update',
  'tool-calls',
  'tool-calls-result',
  'tool.completed',
  'transcript',
  'transfer-update',
  'user-interrupted',
  'voice-input',
  'workflow.node.started',
] as const;
const SERVER_MESSAGES = [
  'assistant-request',
  'assistant.speechStarted',
  'assistant.started',
  ...['call.artifact.upload', 'call.delete.failed', 'call.deleted', 'chat.created', 'chat.deleted'],
  'conversation-update',
  'end-of-call-report',
  'function-call',
  'handoff-destination-request',
  'hang',
  ...['language-change-detected', 'language-changed'],
  'model-output',
  'phone-call-control',
  ...['session.created', 'session.deleted', 'session.updated'],
  'speech-update',
  'status-update',
  'tool-calls',
  'transcript',
  ...['transcript[transcriptType="final"]', 'transfer-destination-request', 'transfer-update'],
  'user-interrupted',
  'voice-input',
] as const;

const model = providerPart
  .extend({
    model: z.string().min(1).max(200).optional(),
    messages: z
      .array(z.looseObject({ role: z.enum(['system', 'user', 'assistant', 'function', 'tool']) }))
      .max(200)
      .optional(),
    temperature: z.number().min(0).max(2).optional(),
    maxTokens: z.number().int().min(1).max(10_000).optional(),
    toolIds: z.array(z.uuid()).max(100).optional(),
    tools: z.array(toolSchema).max(100).optional(),
    url: httpUrl.optional(),
    knowledgeBase: z
      .looseObject({
        provider: z.string().min(1).max(PROVIDER_LENGTH).optional(),
        topK: z.number().int().min(1).max(10).optional(),
        fileIds: z.array(z.uuid()).max(100).optional(),
      })
      .optional(),
  })
  .refine(({ provider, url }) => provider !== 'custom-llm' || url !== undefined, {
    path: ['url'],
    error: 'is needed for custom-llm',
  });

const artifactPlan = z.looseObject({
  recordingEnabled: z.boolean().optional(),
  videoRecordingEnabled: z.boolean().optional(),
  /** An addition of ours: the days that a recording is kept, in place of VOICE_RECORDING_DAYS. */
  recordingRetentionDays: z.number().int().min(1).max(3650).optional(),
  transcriptPlan: z
    .looseObject({
      enabled: z.boolean().optional(),
      assistantName: z.string().min(1).max(100).optional(),
      userName: z.string().min(1).max(100).optional(),
    })
    .optional(),
});

/**
 * Plans: fields that have an effect are checked, the published API's other fields are kept
 * (docs/voice-api.md).
 */
const messagePlan = z.looseObject({
  idleMessages: z.array(z.string().max(1000)).max(20).optional(),
  idleTimeoutSeconds: seconds(5, 60).optional(),
  idleMessageMaxSpokenCount: z.number().int().min(1).max(10).optional(),
  silenceTimeoutMessage: z.string().max(1000).optional(),
});
/** A faulty rule is refused when the assistant is stored, not during a call. */
const endpointRule = z
  .looseObject({ type: z.enum(['assistant', 'customer', 'both']) })
  .superRefine((rule, context) => {
    const read = readEndpointRule(rule);
    if (typeof read === 'string') context.addIssue({ code: 'custom', message: read });
  });
const startSpeakingPlan = z.looseObject({
  customEndpointingRules: z.array(endpointRule).max(50).optional(),
  waitSeconds: seconds(0, 5).optional(),
  transcriptionEndpointingPlan: z
    .looseObject({
      onPunctuationSeconds: seconds(0, 3).optional(),
      onNoPunctuationSeconds: seconds(0, 3).optional(),
      onNumberSeconds: seconds(0, 3).optional(),
    })
    .optional(),
});
const phrases = z.array(z.string().min(1).max(240)).max(100);
const stopSpeakingPlan = z.looseObject({
  numWords: z.number().int().min(0).max(10).optional(),
  voiceSeconds: seconds(0, 0.5).optional(),
  backoffSeconds: seconds(0, 10).optional(),
  acknowledgementPhrases: phrases.optional(),
  interruptionPhrases: phrases.optional(),
});
const onePlan = z.looseObject({
  enabled: z.boolean().optional(),
  messages: z
    .array(z.looseObject({ role: z.enum(['system', 'user', 'assistant']), content: z.string().max(8000) }))
    .max(20)
    .optional(),
});
const analysisPlan = z.looseObject({
  minMessagesThreshold: z.number().int().min(0).max(1000).optional(),
  summaryPlan: onePlan.optional(),
  structuredDataPlan: onePlan.extend({ schema: jsonObject.optional() }).optional(),
  successEvaluationPlan: onePlan.extend({ rubric: z.string().max(60).optional() }).optional(),
  summaryPrompt: z.string().max(2000).optional(),
  successEvaluationPrompt: z.string().max(2000).optional(),
  structuredDataPrompt: z.string().max(2000).optional(),
  structuredDataSchema: jsonObject.optional(),
});

/**
 * What an assistant does by itself at an event of a call. `customer.speech.timeout` acts; the others are kept
 * (docs/voice-api.md).
 */
const hook = z.looseObject({
  on: z.string().min(1).max(1000),
  name: z.string().max(1000).optional(),
  do: z
    .array(
      z.looseObject({
        type: z.string().min(1).max(100),
        exact: z
          .union([z.string().max(1000), z.array(z.string().min(1).max(1000)).min(1).max(20)])
          .optional(),
        prompt: z.unknown().optional(),
      }),
    )
    .max(20),
  options: z
    .looseObject({
      timeoutSeconds: seconds(2, 1000).optional(),
      triggerMaxCount: z.number().int().min(1).max(10).optional(),
      triggerResetMode: z.enum(['onUserSpeech', 'never']).optional(),
    })
    .optional(),
});

/** The fields of an assistant, all optional (docs/contracts/voice.md §3: ranges and names). */
const ASSISTANT_FIELDS = {
  name: shortName.optional(),
  transcriber: providerPart.optional(),
  model: model.optional(),
  voice: providerPart.optional(),
  firstMessage: text.optional(),
  firstMessageMode: z
    .enum([
      'assistant-speaks-first',
      'assistant-speaks-first-with-model-generated-message',
      'assistant-waits-for-user',
    ])
    .optional(),
  firstMessageInterruptionsEnabled: z.boolean().optional(),
  recordingEnabled: z.boolean().optional(),
  hipaaEnabled: z.boolean().optional(),
  clientMessages: z.array(z.enum(CLIENT_MESSAGES)).max(50).optional(),
  serverMessages: z.array(z.enum(SERVER_MESSAGES)).max(50).optional(),
  silenceTimeoutSeconds: seconds(10, 600).optional(),
  responseDelaySeconds: seconds(0, 5).optional(),
  llmRequestDelaySeconds: seconds(0, 3).optional(),
  llmRequestNonPunctuatedDelaySeconds: seconds(0, 3).optional(),
  numWordsToInterruptAssistant: z.number().int().min(0).max(10).optional(),
  maxDurationSeconds: seconds(10, 3600).optional(),
  backgroundSound: z.union([z.enum(['off', 'office']), httpUrl]).optional(),
  backchannelingEnabled: z.boolean().optional(),
  backgroundDenoisingEnabled: z.boolean().optional(),
  modelOutputInMessagesEnabled: z.boolean().optional(),
  voicemailDetection: z.union([z.literal('off'), providerPart]).optional(),
  voicemailMessage: z.string().max(1000).optional(),
  endCallMessage: z.string().max(1000).optional(),
  missedCallPlan: z
    .strictObject({ enabled: z.boolean().optional(), outboundEnabled: z.boolean().optional() })
    .optional(),
  pronunciations: pronunciations.optional(),
  website: websiteSchema.optional(),
  endCallPhrases: z.array(z.string().min(2).max(140)).max(100).optional(),
  metadata: jsonObject.optional(),
  serverUrl: httpUrl.optional(),
  serverUrlSecret: z.string().max(1000).optional(),
  server: eventServer.optional(),
  analysisPlan: analysisPlan.optional(),
  artifactPlan: artifactPlan.optional(),
  messagePlan: messagePlan.optional(),
  startSpeakingPlan: startSpeakingPlan.optional(),
  stopSpeakingPlan: stopSpeakingPlan.optional(),
  monitorPlan: z
    .strictObject({
      listenEnabled: z.boolean().optional(),
      listenAuthenticationEnabled: z.boolean().optional(),
      controlEnabled: z.boolean().optional(),
      controlAuthenticationEnabled: z.boolean().optional(),
      monitorIds: z.array(z.string().max(200)).max(50).optional(),
    })
    .optional(),
  compliancePlan: z.looseObject({ hipaaEnabled: z.boolean().optional() }).optional(),
  backgroundSpeechDenoisingPlan: jsonObject.optional(),
  observabilityPlan: jsonObject.optional(),
  keypadInputPlan: jsonObject.optional(),
  transportConfigurations: z.array(jsonObject).max(20).optional(),
  hooks: z.array(hook).max(50).optional(),
  credentials: z.array(providerPart).max(50).optional(),
  credentialIds: z.array(z.uuid()).max(50).optional(),
};

/** An assistant as a caller describes it. */
export const assistantSchema = z.strictObject(ASSISTANT_FIELDS);

/** What an assistant gets where its description says nothing (docs/contracts/voice.md §3). */
export const ASSISTANT_DEFAULTS = {
  firstMessageMode: 'assistant-speaks-first',
  silenceTimeoutSeconds: 30,
  responseDelaySeconds: 0.4,
  llmRequestDelaySeconds: 0.1,
  numWordsToInterruptAssistant: 0,
  maxDurationSeconds: 1800,
  backgroundDenoisingEnabled: false,
} as const;

/** Changes for one call, with the values of its templates. */
export const assistantOverridesSchema = z.strictObject({
  ...ASSISTANT_FIELDS,
  variableValues: jsonObject.optional(),
  /** Tools that are added after the assistant's own. */
  'tools:append': z.array(toolSchema).max(100).optional(),
});

/** Several assistants that hand a call to each other. */
export const squadSchema = z.strictObject({
  name: z.string().min(1).max(200).optional(),
  members: z
    .array(
      z
        .strictObject({
          assistantId: z.uuid().nullish(),
          assistantVersion: z.string().nullish(),
          assistant: assistantSchema.optional(),
          assistantOverrides: assistantOverridesSchema.optional(),
          assistantDestinations: z.array(jsonObject).max(50).optional(),
        })
        .refine((member) => (member.assistantId == null) !== (member.assistant === undefined), {
          error: 'needs exactly one of assistantId and assistant',
        }),
    )
    .min(1)
    .max(20),
  membersOverrides: assistantOverridesSchema.optional(),
});
