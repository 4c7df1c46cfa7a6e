import { isCredentialRead, type ProvidedEngine, unreadCredential } from './provider-list.contract.ts';

/** The bodies whose fields this table covers. */
export type SettingPart = 'assistant' | 'squad' | 'tool' | 'call' | 'phoneCall';

/** What one accepted field does here. */
export interface SettingEffect {
  /**
   * Its place: names joined by dots, `[]` for the items of a list, `.*` at the end for everything inside. At
   * a place like `model.tools[]>tool` the rows of the part `tool` apply.
   */
  readonly at: string;
  /**
   * The field works; or the request is refused with 400, which names it; or it is kept, and `warnings` says
   * so.
   */
  readonly does: 'acts' | 'refused' | 'kept';
  /** What the field does; for a refused field the words of the answer, for a kept one the reason. */
  readonly says: string;
  /** For a field that is refused or kept: a value with that result. */
  readonly example?: unknown;
  /** Values that ask for nothing, so that keeping them needs no warning. */
  readonly neutral?: readonly unknown[];
  /**
   * Set for a field that names a provider: it acts only with a credential, and only for a connected provider.
   */
  readonly provides?: ProvidedEngine;
  /** Values of an acting field that are only kept, with the reason. */
  readonly except?: Readonly<Record<string, string>>;
  /** The only values that act; any other is kept. */
  readonly only?: readonly string[];
  /**
   * Why a value does not act in its body; undefined where it does. A list is asked about one by one.
   *
   * @param whole the body, or the part of it that another table describes
   */
  readonly unless?: (value: unknown, whole: SettingBody) => string | undefined;
}

/** An assistant, as far as the effect of a field depends on its other fields. */
export interface SettingBody {
  /** Whether it is a whole assistant: where overrides name no provider, the assistant's own is not known. */
  readonly isWhole: boolean;
  /** Engines that the installation has configured for assistants that name no provider. */
  readonly configured: ReadonlySet<string>;
  readonly [engine: string]: unknown;
}

/** Whether this server's own engine does that part's work. */
function isEmbedded(engine: ProvidedEngine, whole: SettingBody): boolean {
  if (whole.configured.has(engine)) return false;
  const part = whole[engine] as { readonly provider?: unknown } | undefined;
  return part?.provider === undefined ? whole.isWhole : part.provider === 'embedded';
}

/** A field that only a provider reads. */
const forProvider = (engine: ProvidedEngine, row: SettingEffect, reason: string): SettingEffect => ({
  ...row,
  unless: (_value, whole) => (isEmbedded(engine, whole) ? reason : undefined),
});
const NO_MODEL = 'the embedded dialogue answers by rules; it needs a language model';
const OWN_VOICE = 'the embedded voice has no such setting';
const OWN_RECOGNISER = 'the embedded recogniser has no such setting';
const forModel = (row: SettingEffect): SettingEffect => forProvider('model', row, NO_MODEL);
const forVoice = (row: SettingEffect): SettingEffect => forProvider('voice', row, OWN_VOICE);
const forTranscriber = (row: SettingEffect): SettingEffect => forProvider('transcriber', row, OWN_RECOGNISER);

const credentialUnless: SettingEffect['unless'] = (credential) => {
  const { provider } = credential as { readonly provider?: unknown };
  return isCredentialRead(String(provider)) ? undefined : unreadCredential(String(provider));
};

const acts = (at: string, says: string): SettingEffect => ({ at, does: 'acts', says });
const kept = (at: string, example: unknown, says: string, neutral?: readonly unknown[]): SettingEffect => ({
  at,
  does: 'kept',
  says,
  example,
  ...(neutral === undefined ? {} : { neutral }),
});
const refused = (at: string, example: unknown, says: string): SettingEffect => ({
  at,
  does: 'refused',
  says,
  example,
});

/** A field that acts for a stored assistant, whose id a page names. */
const stored = (at: string, says: string): SettingEffect => ({
  ...acts(at, says),
  unless: (_value, whole) => (whole.isWhole ? undefined : 'only the assistant itself stands on a site'),
});
const provided = (engine: ProvidedEngine, says: string): SettingEffect => ({
  ...acts(`${engine}.provider`, says),
  provides: engine,
});

/** Where messages are sent: an assistant, a tool and a phone number have the same members for it. */
const SERVER: readonly SettingEffect[] = [
  acts('server.url', 'messages and questions go there'),
  acts('server.secret', 'signs messages, and is sent as `x-vapi-secret`'),
  acts('server.timeoutSeconds', 'how long an answer is waited for, at most 15 s'),
  acts('server.headers.*', 'are sent with each request'),
  kept(
    'server.credentialId',
    '3f0f43a6-4f0a-4c39-8a51-0d9a7d6a3c11',
    'the secret and the headers authenticate requests',
  ),
  kept(
    'server.backoffPlan',
    { maxRetries: 2 },
    'failed messages are repeated for seconds, reports for hours',
  ),
  kept('server.staticIpAddressesEnabled', true, 'requests come from this server’s address', [false]),
  kept('server.encryptedPaths', ['call'], 'messages are signed, and encrypted by https only', [[]]),
];

const ASSISTANT: readonly SettingEffect[] = [
  acts('name', 'the name that a hand-over asks for'),
  acts('metadata.*', 'returned unchanged'),
  acts('variableValues.*', 'values for the texts’ templates, filled in by LiquidJS'),
  acts('tools:append[]>tool', 'tools of this call, after the assistant’s own'),
  acts('firstMessage', 'said first; the address of a sound file (MP3, Opus in Ogg, WAVE) is played instead'),
  acts('firstMessageMode', 'whether the first message is said at once, invented, or waits for the caller'),
  acts('firstMessageInterruptionsEnabled', 'false: callers cannot interrupt it'),
  acts('endCallMessage', 'the last words'),
  {
    ...acts(
      'pronunciations.*',
      'how the embedded voice says words: plain spelling, or phonemes between slashes',
    ),
    unless: (_value, whole) => {
      const { provider } = (whole.voice ?? {}) as { readonly provider?: unknown };
      const isProviders = provider === undefined ? whole.configured.has('voice') : provider !== 'embedded';
      return isProviders ? 'a provider’s voice says words in its own way' : undefined;
    },
  },
  stored('website.origins', 'an addition of ours: the origins whose pages may show the assistant'),
  stored('website.greeting', 'an addition of ours: the first message there, in place of `firstMessage`'),
  stored('website.colours.light', 'an addition of ours: the colour of its buttons there, in light pages'),
  stored('website.colours.dark', 'an addition of ours: the same in dark pages'),
  stored('website.hours.open', 'an addition of ours: outside these hours visitors leave a message'),
  stored('website.hours.timeZone', 'an addition of ours: the zone of these hours, TIME_ZONE without it'),
  acts(
    'missedCallPlan.enabled',
    'an addition of ours: false sends callers no link to the booking page after a call that nobody answered or that broke off',
  ),
  acts(
    'missedCallPlan.outboundEnabled',
    'an addition of ours: true sends the link also to people who did not answer our call',
  ),
  acts('endCallPhrases', 'end the call when the assistant has said one'),
  acts('silenceTimeoutSeconds', 'silence of this length ends the call'),
  acts('maxDurationSeconds', 'the call ends after this time'),
  acts('responseDelaySeconds', 'the shortest pause before an answer'),
  acts('numWordsToInterruptAssistant', 'how many words an interruption needs'),
  kept('llmRequestDelaySeconds', 2, 'a turn is answered as soon as it is over', [0, 0.1]),
  kept('llmRequestNonPunctuatedDelaySeconds', 2, 'a turn is answered as soon as it is over', [0]),
  acts('hipaaEnabled', 'nothing that was said is stored'),
  acts('compliancePlan.hipaaEnabled', 'the same'),
  {
    ...acts('clientMessages', 'which messages the caller’s client gets'),
    except: {
      'function-call': '`tool-calls` reports it',
      'function-call-result': '`tool-calls-result` reports it',
      'tool.completed': '`tool-calls-result` reports it',
      'assistant.speechStarted': '`speech-update` reports it',
      'language-changed': 'a call keeps its language',
      'workflow.node.started': 'workflows are not offered',
    },
  },
  {
    ...acts('serverMessages', 'which messages the server gets'),
    except: {
      'assistant.speechStarted': '`speech-update` reports it',
      'call.artifact.upload': '`end-of-call-report` has the artifact',
      'call.deleted': 'the answer to the DELETE request reports it',
      'call.delete.failed': 'the answer to the DELETE request reports it',
      'chat.created': 'chats are not offered',
      'chat.deleted': 'chats are not offered',
      'session.created': 'sessions are not offered',
      'session.updated': 'sessions are not offered',
      'session.deleted': 'sessions are not offered',
      'handoff-destination-request':
        'a `transferCall` without destinations asks `transfer-destination-request`',
      'language-changed': 'a call keeps its language',
      'language-change-detected': 'a call keeps its language',
      'phone-call-control': 'calls are put through and ended here',
    },
  },
  acts('serverUrl', 'the older name of `server.url`'),
  acts('serverUrlSecret', 'the older name of `server.secret`'),
  ...SERVER,
  acts(
    'recordingEnabled',
    'the older name of `artifactPlan.recordingEnabled`; if one of the two is false, nothing is recorded',
  ),
  acts('artifactPlan.recordingEnabled', 'the caller is asked, and recorded after agreeing'),
  acts('artifactPlan.recordingRetentionDays', 'an addition of ours: replaces `VOICE_RECORDING_DAYS`'),
  acts(
    'artifactPlan.videoRecordingEnabled',
    'the caller is asked, and after agreeing recorded with the camera’s picture, also without `recordingEnabled`; on the telephone only the sound is recorded',
  ),
  acts('artifactPlan.transcriptPlan.enabled', 'false: no transcript'),
  acts('artifactPlan.transcriptPlan.assistantName', 'in place of `AI` in the transcript'),
  acts('artifactPlan.transcriptPlan.userName', 'in place of `User` in the transcript'),
  kept('artifactPlan.recordingFormat', 'mp3', 'recordings have one format here'),
  kept('artifactPlan.recordingPath', '/calls', 'recordings are in this installation’s store'),
  kept('artifactPlan.loggingPath', '/logs', 'a call’s log is read at `GET /log`'),
  kept('artifactPlan.loggingEnabled', false, 'a call’s log is always written', [true]),
  kept('artifactPlan.pcapEnabled', true, 'packets are not stored', [false]),
  kept('artifactPlan.fullMessageHistoryEnabled', true, 'messages always contain what was said and done', [
    false,
  ]),
  ...['structuredOutputIds', 'structuredOutputs'].map((name) =>
    kept(
      `artifactPlan.${name}`,
      ['one'],
      '`analysisPlan.structuredDataPlan` says which data are taken from a call',
      [[]],
    ),
  ),
  ...['scorecardIds', 'scorecards'].map((name) =>
    kept(`artifactPlan.${name}`, ['one'], '`analysisPlan.successEvaluationPlan` evaluates a call', [[]]),
  ),
  kept('compliancePlan.pciEnabled', true, 'with `hipaaEnabled` nothing that was said is stored', [false]),
  kept('compliancePlan.securityFilterPlan', { enabled: true }, 'what a caller says is never an instruction', [
    { enabled: false },
  ]),
  acts('compliancePlan.recordingConsentPlan.message', 'the question before a recording'),
  kept(
    'compliancePlan.recordingConsentPlan.type',
    'stay-on-line',
    'staying on the line does not count as consent',
    ['verbal'],
  ),
  acts(
    'backgroundSound',
    '`office`: the generated sound of a quiet office behind the voice; an address: that sound, repeated; without it there is no sound, also on the telephone',
  ),
  acts(
    'backchannelingEnabled',
    'true: a caller who has spoken for three seconds and goes on after a pause hears a quiet ‘mm-hm’, at most every six seconds, and never while reading out a number or spelling',
  ),
  kept('backgroundDenoisingEnabled', true, 'noise is cancelled in the caller’s browser', [false]),
  kept(
    'backgroundSpeechDenoisingPlan',
    { smartDenoisingPlan: { enabled: true } },
    'noise is cancelled in the caller’s browser',
    [{}, { smartDenoisingPlan: { enabled: false } }],
  ),
  kept('modelOutputInMessagesEnabled', true, 'messages always contain what was really said', [false]),
  acts(
    'voicemailDetection.provider',
    'for outgoing calls: a machine is recognised here by its words and its tone, for any provider',
  ),
  ...['beepMaxAwaitSeconds', 'backoffPlan', 'type'].map((name) =>
    kept(`voicemailDetection.${name}`, 'audio', 'words and tone are listened to in the first minute'),
  ),
  acts(
    'voicemailMessage',
    'said to the machine after the tone, or after 2.5 s of silence; without a message the call is hung up',
  ),
  acts('keypadInputPlan.enabled', 'on the telephone: pressed keys are a turn of the caller'),
  acts('keypadInputPlan.timeoutSeconds', 'after this time the keys count without a delimiter'),
  acts('keypadInputPlan.delimiters', 'the keys that end the turn'),
  kept('transportConfigurations', [{ provider: 'twilio' }], 'trunks have settings of their own', [[]]),
  acts('monitorPlan.listenEnabled', 'false: nobody listens in at `monitor.listenUrl`'),
  acts('monitorPlan.listenAuthenticationEnabled', 'true: only with the private key'),
  acts('monitorPlan.controlEnabled', 'false: nobody controls it at `monitor.controlUrl`'),
  kept('monitorPlan.monitorIds', ['one'], 'monitors do not report calls', [[]]),
  acts('monitorPlan.controlAuthenticationEnabled', 'true: only with the private key'),
  kept('observabilityPlan', { provider: 'langfuse' }, 'no traces are sent'),
  {
    ...acts('hooks[].on', '`customer.speech.timeout`: something is said to a silent caller'),
    only: ['customer.speech.timeout'],
    except: {
      'call.ending': 'the server gets `end-of-call-report`',
      'assistant.speech.interrupted': 'an interrupted assistant listens and says nothing',
      'customer.speech.interrupted': 'an assistant does not interrupt its caller',
      'model.response.timeout': 'the embedded dialogue replaces a model that does not answer',
      'assistant.transcriber.endpointedSpeechLowConfidence':
        'the assistant asks again for words that it did not understand',
    },
  },
  kept('hooks[].filters', [{ type: 'oneOf' }], 'a hook acts at every event of its type', [[]]),
  acts('hooks[].name', 'returned unchanged'),
  {
    ...acts('hooks[].do[].type', '`say`'),
    only: ['say'],
    except: {
      tool: 'a hook cannot call a tool',
      'message.add': 'a hook cannot add to the conversation',
    },
  },
  acts('hooks[].do[].exact', 'the sentence; several are said one after another'),
  kept('hooks[].do[].tool', { type: 'endCall' }, 'a hook cannot call a tool'),
  kept('hooks[].do[].toolId', '3f0f43a6-4f0a-4c39-8a51-0d9a7d6a3c11', 'a hook cannot call a tool'),
  kept('hooks[].do[].prompt', 'Ask whether they are there', 'a hook says the text of `exact`'),
  acts('hooks[].options.timeoutSeconds', 'after silence of this length, 7.5 s by default'),
  acts('hooks[].options.triggerMaxCount', 'how often, 3 times by default'),
  acts(
    'hooks[].options.triggerResetMode',
    '`onUserSpeech`: the count starts again once the caller has spoken',
  ),
  {
    ...acts('credentials.*', 'credentials of this assistant, used before stored ones'),
    unless: credentialUnless,
  },
  acts('credentialIds', 'the only stored credentials that it may use'),
  acts('messagePlan.idleMessages', 'said to a silent caller, one after another'),
  acts('messagePlan.idleTimeoutSeconds', 'after silence of this length'),
  acts('messagePlan.idleMessageMaxSpokenCount', 'how often'),
  acts('messagePlan.silenceTimeoutMessage', 'said before silence ends the call'),
  acts('startSpeakingPlan.waitSeconds', 'the shortest pause before an answer'),
  acts('startSpeakingPlan.transcriptionEndpointingPlan.onPunctuationSeconds', 'the pause that ends a turn'),
  acts(
    'startSpeakingPlan.transcriptionEndpointingPlan.onNoPunctuationSeconds',
    'the same without a punctuation mark',
  ),
  acts('startSpeakingPlan.transcriptionEndpointingPlan.onNumberSeconds', 'the same after a number'),
  kept('startSpeakingPlan.smartEndpointingEnabled', true, 'turns end by pause and sentence', [false]),
  kept('startSpeakingPlan.smartEndpointingPlan', { provider: 'livekit' }, 'turns end by pause and sentence'),
  acts('startSpeakingPlan.customEndpointingRules.*', 'pauses by what was said; expressions are RE2’s'),
  acts('stopSpeakingPlan.numWords', 'how many words an interruption needs'),
  acts('stopSpeakingPlan.voiceSeconds', 'how much voice silences the assistant'),
  acts('stopSpeakingPlan.backoffSeconds', 'silence after an interruption'),
  acts('stopSpeakingPlan.acknowledgementPhrases', 'never take the turn'),
  acts('stopSpeakingPlan.interruptionPhrases', 'always take the turn'),
  acts('analysisPlan.minMessagesThreshold', 'shorter calls are not analysed'),
  acts('analysisPlan.summaryPlan.enabled', 'false: no summary'),
  acts('analysisPlan.structuredDataPlan.enabled', 'false: no structured data'),
  acts('analysisPlan.structuredDataPlan.schema.*', 'the schema of the structured data'),
  acts('analysisPlan.successEvaluationPlan.enabled', 'false: no evaluation'),
  acts('analysisPlan.successEvaluationPlan.rubric', 'the scale of the evaluation'),
  ...['summaryPlan', 'structuredDataPlan', 'successEvaluationPlan'].map((plan) =>
    kept(
      `analysisPlan.${plan}.timeoutSeconds`,
      5,
      'an analysis is made after the call and has a time limit of its own',
    ),
  ),
  kept('analysisPlan.structuredDataMultiPlan', [{ key: 'one' }], '`structuredDataPlan` has the only schema', [
    [],
  ]),
  kept('analysisPlan.outcomeIds', ['one'], '`successEvaluationPlan` evaluates a call', [[]]),
  acts('analysisPlan.structuredDataSchema.*', 'the older name of `structuredDataPlan.schema`'),
  forModel(acts('analysisPlan.summaryPlan.messages.*', 'the assistant’s own question to the language model')),
  forModel(
    acts('analysisPlan.structuredDataPlan.messages.*', 'the assistant’s own question to the language model'),
  ),
  forModel(
    acts(
      'analysisPlan.successEvaluationPlan.messages.*',
      'the assistant’s own question to the language model',
    ),
  ),
  forModel(acts('analysisPlan.summaryPrompt', 'the older form of `summaryPlan.messages`')),
  forModel(
    acts('analysisPlan.successEvaluationPrompt', 'the older form of `successEvaluationPlan.messages`'),
  ),
  forModel(acts('analysisPlan.structuredDataPrompt', 'the older form of `structuredDataPlan.messages`')),
  provided(
    'transcriber',
    'recognises speech, with a credential; the embedded recogniser takes over when it fails; `embedded` chooses this server’s recogniser beside the assistant’s own realtime model',
  ),
  forTranscriber(
    acts(
      'transcriber.model',
      'the provider’s model; for OpenAI also the one that transcribes a realtime session',
    ),
  ),
  {
    ...acts('transcriber.language', 'for the provider; the embedded recogniser understands English'),
    unless: (language, whole) =>
      isEmbedded('transcriber', whole) && !/^en\b/i.test(String(language))
        ? 'the embedded recogniser understands English'
        : undefined,
  },
  kept('transcriber.smartFormat', true, 'this server decides how words are written', [false]),
  kept('transcriber.endpointing', 300, '`startSpeakingPlan` says which pause ends a turn'),
  kept(
    'transcriber.confidenceThreshold',
    0.4,
    'the assistant asks again for words that it did not understand',
  ),
  kept(
    'transcriber.fallbackPlan',
    { autoFallback: { enabled: false } },
    'the embedded recogniser takes over',
  ),
  forTranscriber(acts('transcriber.keywords', 'for Deepgram')),
  forTranscriber(acts('transcriber.keyterm', 'for Deepgram')),
  provided(
    'voice',
    'speaks, with a credential; the embedded voice takes over when it fails; `embedded` chooses this server’s voice beside the assistant’s own realtime model',
  ),
  acts(
    'voice.voiceId',
    'a voice of the provider, or an embedded voice, which then speaks; for OpenAI also the voice of a realtime session',
  ),
  forVoice(acts('voice.model', 'the provider’s model; if it is missing, a realtime session speaks itself')),
  acts('voice.speed', 'for the provider, and for the embedded voice from 0.7 to 1.4'),
  forVoice(acts('voice.language', 'for ElevenLabs and Cartesia')),
  kept('voice.fallbackPlan', { voices: [] }, 'the embedded voice takes over'),
  kept('voice.chunkPlan', { enabled: false }, 'a voice gets one sentence after another'),
  kept('voice.cachingEnabled', false, 'the voice decides itself which sounds it keeps', [true]),
  kept('voice.optimizeStreamingLatency', 3, 'the provider’s own value is used'),
  forVoice(acts('voice.stability', 'for ElevenLabs')),
  forVoice(acts('voice.similarityBoost', 'for ElevenLabs')),
  forVoice(acts('voice.style', 'for ElevenLabs')),
  forVoice(acts('voice.useSpeakerBoost', 'for ElevenLabs')),
  provided('model', 'answers, with a credential; the embedded dialogue takes over when it fails'),
  forModel(
    acts(
      'model.model',
      'the provider’s model; one of OpenAI with `realtime` in its name hears, answers and speaks in one session',
    ),
  ),
  forModel(acts('model.url', 'the address of a `custom-llm`')),
  kept('model.systemPrompt', 'You are kind.', 'a message with the role `system` is the prompt'),
  kept('model.functions', [{ name: 'f' }], 'a `function` tool in `model.tools` is called', [[]]),
  kept('model.fallbackModels', ['gpt-4o'], 'the embedded dialogue takes over', [[]]),
  kept('model.emotionRecognitionEnabled', true, 'a model gets only the words', [false]),
  kept('model.numFastTurns', 1, 'every turn goes to the same model', [0]),
  kept('model.knowledgeBaseId', 'one', '`knowledgeBase.fileIds` names the files'),
  acts('model.messages[].role', '`system` is the prompt'),
  acts('model.messages[].content', 'the text of the prompt'),
  forModel(
    acts(
      'model.temperature',
      'for a language model; a realtime session has no temperature, and the call’s log says so',
    ),
  ),
  forModel(
    acts(
      'model.maxTokens',
      'for a language model; a spoken answer of a realtime session may have seven times as many',
    ),
  ),
  acts('model.toolIds', 'stored tools, after the assistant’s own'),
  acts('model.tools[]>tool', 'as in the table of tools'),
  kept('model.knowledgeBase.provider', 'trieve', 'files are read and searched here', [
    'canonical',
    'google',
    'agency',
  ]),
  acts('model.knowledgeBase.topK', 'the number of passages'),
  acts('model.knowledgeBase.fileIds', 'the files that are consulted'),
];

const SQUAD_ROWS: readonly SettingEffect[] = [
  acts('name', 'returned unchanged'),
  acts('members[].assistantId', 'an assistant of the squad'),
  acts('members[].assistant>assistant', 'as in the table of assistants'),
  acts('members[].assistantOverrides>assistant', 'as in the table of assistants'),
  acts(
    'members[].assistantDestinations[].type',
    '`assistant`: an assistant that the member may hand over to',
  ),
  acts('members[].assistantDestinations[].assistantName', 'its name'),
  acts('members[].assistantDestinations[].assistantId', 'or its id'),
  acts('members[].assistantDestinations[].description', 'when to hand over, for a model'),
  acts('members[].assistantDestinations[].message', 'said before the other assistant takes over'),
  ...handoverRows('members[].assistantDestinations[]'),
  kept('members[].assistantVersion', '2', 'a call takes the present version of an assistant'),
  acts('membersOverrides>assistant', 'as in the table of assistants'),
];

/** How a call is handed over to another assistant. */
function handoverRows(at: string): SettingEffect[] {
  return [
    kept(`${at}.transferMode`, 'delete-history', 'the next assistant knows what was said', [
      'rolling-history',
    ]),
    kept(`${at}.contextEngineeringPlan`, { type: 'none' }, 'the next assistant knows what was said', [
      { type: 'all' },
    ]),
  ];
}

const TOOL: readonly SettingEffect[] = [
  {
    ...acts(
      'type',
      '`function`, `query`, `apiRequest`, `mcp`, `endCall`, `transferCall`, `handoff` and, on the telephone, `dtmf` act',
    ),
    except: {
      voicemail: 'machines are recognised by `voicemailDetection` of the assistant',
      make: 'an apiRequest tool starts a scenario by its webhook',
    },
  },
  acts('name', 'the name of a `query` or an `apiRequest`'),
  acts('async', 'true: the call does not wait for its result'),
  acts('description', 'the purpose of an `apiRequest`'),
  acts('url', 'the address of an `apiRequest`; `{{name}}` is filled in'),
  acts('method', 'GET, POST, PUT, PATCH or DELETE'),
  acts('headers.*', 'headers of an `apiRequest`, those with a `value`'),
  acts('body.*', 'the schema of its body; a property with a `value` is fixed'),
  acts('timeoutSeconds', 'how long an answer is waited for, at most 15 s'),
  acts('function.name', 'its name for the model'),
  acts('function.description', 'its purpose'),
  acts('function.parameters.*', 'its arguments'),
  kept('function.strict', true, 'models are called without it', [false]),
  ...SERVER,
  acts('knowledgeBases[].name', 'a name for you; returned unchanged'),
  acts('knowledgeBases[].description', 'what is in them, for you; returned unchanged'),
  acts('knowledgeBases[].fileIds', 'the files that it searches'),
  kept('knowledgeBases[].provider', 'trieve', 'files are read and searched here', ['canonical', 'google']),
  {
    ...acts(
      'messages[].type',
      '`request-start` is said first, `request-response-delayed` if no answer comes, `request-complete` and `request-failed` in place of an answer from the result',
    ),
    only: ['request-start', 'request-response-delayed', 'request-complete', 'request-failed'],
  },
  acts('messages[].content', 'the sentence'),
  acts('messages[].contents.*', 'the same in several languages; the English one is said'),
  acts('messages[].timingMilliseconds', 'when an answer is late, 3000 by default'),
  acts('messages[].endCallAfterSpokenEnabled', 'true: the call ends after it'),
  kept('messages[].blocking', true, 'the tool is called while it is said', [false]),
  kept('messages[].conditions', [{ operator: 'eq' }], 'a message with conditions is not said', [[]]),
  kept('messages[].role', 'system', 'hints for a model are not passed on', ['assistant']),
  {
    ...acts('destinations[].type', '`assistant`: an assistant that a call is handed to'),
    only: ['assistant', 'number', 'sip'],
  },
  ...handoverRows('destinations[]'),
  kept('destinations[].callerId', '+12025550123', 'the call’s own number is shown'),
  kept('destinations[].numberE164CheckEnabled', false, 'a number is always written as +14155550100', [true]),
  kept('destinations[].sipHeaders', { 'x-a': 'b' }, 'no headers are added', [{}]),
  kept(
    'variableExtractionPlan',
    { aliases: [{ key: 'a', value: 'b' }] },
    'the dialogue gets a result unchanged',
    [{}],
  ),
  kept('rejectionPlan', { conditions: [{ type: 'regex' }] }, 'calls of a tool are never rejected', [
    {},
    { conditions: [] },
  ]),
  kept('backoffPlan', { maxRetries: 2 }, 'an `apiRequest` is sent once'),
  kept(
    'credentialId',
    '3f0f43a6-4f0a-4c39-8a51-0d9a7d6a3c11',
    'the headers of an `apiRequest` authenticate it',
  ),
  kept('encryptedPaths', ['body'], 'requests are encrypted by https only', [[]]),
  acts('destinations[].assistantName', 'its name'),
  acts('destinations[].assistantId', 'or its id'),
  acts('destinations[].assistant>assistant', 'or its description'),
  acts('destinations[].assistantOverrides>assistant', 'with its overrides'),
  acts('destinations[].description', 'when to hand over, for a model'),
  acts('destinations[].message', 'said before the other assistant takes over'),
  acts('destinations[].number', 'on the telephone: the number to call, for a `number`'),
  acts('destinations[].sipUri', 'on the telephone: the address to call, for a `sip`'),
  acts('destinations[].extension', 'the keys that are pressed once somebody answers'),
  acts(
    'destinations[].transferPlan.sipVerb',
    '`refer`: the other exchange puts the caller through, and replaces us in a warm transfer; `dial`: this server does',
  ),
  acts('destinations[].transferPlan.mode', 'blind, or warm with a message or a summary'),
  acts('destinations[].transferPlan.message', 'said to the other person in a warm transfer'),
];

/** How a call says what it is about, in a browser and on the telephone. */
const SUBJECT_ROWS: readonly SettingEffect[] = [
  acts('squadOverrides>assistant', 'for every member, applied over `membersOverrides`'),
  kept('assistantVersion', '2', 'a call takes the present version of an assistant'),
  refused(
    'transport',
    { provider: 'vapi.websocket' },
    'the route decides: a call by /call/web uses WebRTC, every other call SIP; no other transport is offered',
  ),
];

const CALL: readonly SettingEffect[] = [
  acts('name', 'returned unchanged'),
  acts('metadata.*', 'returned unchanged'),
  acts('assistantId', 'the assistant or squad that answers'),
  acts('squadId', 'the assistant or squad that answers'),
  acts('assistant>assistant', 'as in the table of assistants'),
  acts('assistantOverrides>assistant', 'as in the table of assistants'),
  acts('squad>squad', 'as in the table of squads'),
  ...SUBJECT_ROWS,
  refused(
    'workflow',
    { nodes: [] },
    'workflows are not offered; a squad hands a call from one assistant to another',
  ),
  refused(
    'workflowId',
    '3f0f43a6-4f0a-4c39-8a51-0d9a7d6a3c11',
    'workflows are not offered; a squad hands a call from one assistant to another',
  ),
  refused(
    'workflowOverrides',
    {},
    'workflows are not offered; a squad hands a call from one assistant to another',
  ),
  kept('roomDeleteOnUserLeaveEnabled', false, 'a call ends when its caller leaves', [true]),
];

/** A customer, alone or as one of several. */
function customerRows(at: string): SettingEffect[] {
  return [
    acts(`${at}.number`, 'the number to call, where a trunk and the rules allow it'),
    acts(`${at}.sipUri`, 'the address to call'),
    acts(`${at}.name`, 'fills `{{customer.name}}`'),
    acts(`${at}.email`, 'returned unchanged'),
    acts(`${at}.externalId`, 'returned unchanged'),
    acts(`${at}.extension`, 'dialled once somebody has answered'),
    kept(`${at}.numberE164CheckEnabled`, false, 'a number is always written as +14155550100', [true]),
    acts(`${at}.assistantOverrides>assistant`, 'as in the table of assistants'),
    acts(`${at}.squadOverrides>assistant`, 'for every member, applied over those of the call'),
  ];
}
const PHONE_CALL: readonly SettingEffect[] = [
  acts('name', 'returned unchanged'),
  acts('metadata.*', 'returned unchanged'),
  acts('assistantId', 'the assistant or squad that calls'),
  acts('squadId', 'the assistant or squad that calls'),
  acts('assistant>assistant', 'as in the table of assistants'),
  acts('assistantOverrides>assistant', 'as in the table of assistants'),
  acts('squad>squad', 'as in the table of squads'),
  ...SUBJECT_ROWS,
  acts('phoneNumberId', 'the number that is shown, and whose trunk is used'),
  refused('phoneNumber', {}, 'numbers are imported first; name the imported one by phoneNumberId'),
  refused(
    'customerId',
    '3f0f43a6-4f0a-4c39-8a51-0d9a7d6a3c11',
    'there is no list of customers here; give customer with a number or a sipUri',
  ),
  ...customerRows('customer'),
  ...customerRows('customers[]'),
  acts('schedulePlan.earliestAt', 'the earliest time of the call, which waits for a free line'),
  acts('schedulePlan.latestAt', 'after this time the call is not made'),
];

/** Every accepted field of assistants, squads, tools and calls; docs/voice-api.md is written from it. */
export const SETTING_EFFECTS: Readonly<Record<SettingPart, readonly SettingEffect[]>> = {
  assistant: ASSISTANT,
  squad: SQUAD_ROWS,
  tool: TOOL,
  call: CALL,
  phoneCall: PHONE_CALL,
};

/**
 * Types of tools that nothing here can carry out, with what to use instead: a request with one is refused by
 * name.
 */
export const REFUSED_TOOLS: Readonly<Record<string, string>> = {
  bash: 'no commands are run on this machine; a function tool asks a server of yours',
  computer: 'no screen is operated; a function tool asks a server of yours',
  textEditor: 'no files are edited; a function tool asks a server of yours',
  sms: 'no text messages are sent; a function tool asks a server of yours',
  sipRequest: 'no SIP requests are sent; a function tool asks a server of yours',
  ghl: 'it is not connected; an automation of yours is reached by a function tool',
  'slack.message.send': 'it is not connected; an automation of yours is reached by a function tool',
  'google.calendar.availability.check':
    'it is not connected; an automation of yours is reached by a function tool',
  'google.calendar.event.create': 'it is not connected; an automation of yours is reached by a function tool',
  'google.sheets.row.append': 'it is not connected; an automation of yours is reached by a function tool',
  'gohighlevel.calendar.availability.check':
    'it is not connected; an automation of yours is reached by a function tool',
  'gohighlevel.calendar.event.create':
    'it is not connected; an automation of yours is reached by a function tool',
  'gohighlevel.contact.create': 'it is not connected; an automation of yours is reached by a function tool',
  'gohighlevel.contact.get': 'it is not connected; an automation of yours is reached by a function tool',
};
