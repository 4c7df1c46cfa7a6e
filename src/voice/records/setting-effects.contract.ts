import type { ProvidedEngine } from './provider-list.contract.ts';

/** Bodies whose fields are accounted for. */
export type SettingPart = 'assistant' | 'squad' | 'tool' | 'call' | 'phoneCall';

/** What one accepted field does here. */
export interface SettingEffect {
  /**
   * Its place: names joined by dots, `[]` for the items of a list, `.*` at the end for everything inside. A place
   * of the form `model.tools[]>tool` hands what is there to the rows of another part.
   */
  readonly at: string;
  /** It works, it is answered 400 by name, or it is kept and the answer says so in `warnings`. */
  readonly does: 'acts' | 'refused' | 'kept';
  /** What it does; of what is refused the words of the answer, of what is kept the reason. */
  readonly says: string;
  /** Of what is refused or kept: a value that is. */
  readonly example?: unknown;
  /** Values that ask for nothing, and so are kept without a word. */
  readonly neutral?: readonly unknown[];
  /** A provider: only with a credential, and only one that is connected. */
  readonly provides?: ProvidedEngine;
  /** Values of what acts that are only kept, with the reason. */
  readonly except?: Readonly<Record<string, string>>;
  /** The values that act, where any other one is only kept. */
  readonly only?: readonly string[];
}

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

const provided = (engine: ProvidedEngine, says: string): SettingEffect => ({
  ...acts(`${engine}.provider`, says),
  provides: engine,
});

/** Where something is sent: the same members at an assistant, a tool and a number. */
function serverRows(at: string): SettingEffect[] {
  return [
    acts(`${at}.url`, 'messages and questions go there'),
    acts(`${at}.secret`, 'signs, and is sent as `x-vapi-secret`'),
    acts(`${at}.timeoutSeconds`, 'an answer is waited for so long, 15 s at most'),
    acts(`${at}.headers.*`, 'go with each request'),
    kept(`${at}.credentialId`, '3f0f43a6-4f0a-4c39-8a51-0d9a7d6a3c11', 'the secret and the headers sign in'),
    kept(`${at}.backoffPlan`, { maxRetries: 2 }, 'messages are repeated for seconds, reports for hours'),
    kept(`${at}.staticIpAddressesEnabled`, true, 'requests come from the address of this server', [false]),
    kept(`${at}.encryptedPaths`, ['call'], 'messages are signed, and encrypted by https only', [[]]),
  ];
}

const ASSISTANT: readonly SettingEffect[] = [
  acts('name', 'the name that a hand-over asks for'),
  acts('metadata.*', 'given back as it came'),
  acts('variableValues.*', 'fill the texts, by LiquidJS'),
  acts('tools:append[]>tool', 'tools of this call, after the assistant’s own'),
  acts('firstMessage', 'said first'),
  acts('firstMessageMode', 'said first, made up, or waited with'),
  acts('firstMessageInterruptionsEnabled', 'false: it is heard to its end'),
  acts('endCallMessage', 'the last words'),
  acts('endCallPhrases', 'end the call when the assistant has said one'),
  acts('silenceTimeoutSeconds', 'so much silence ends the call'),
  acts('maxDurationSeconds', 'the call ends then'),
  acts('responseDelaySeconds', 'speech is not answered sooner'),
  acts('numWordsToInterruptAssistant', 'words that an interruption needs'),
  kept('llmRequestDelaySeconds', 2, 'a turn is answered as soon as it is over', [0, 0.1]),
  kept('llmRequestNonPunctuatedDelaySeconds', 2, 'a turn is answered as soon as it is over', [0]),
  acts('hipaaEnabled', 'nothing that was said is stored'),
  acts('compliancePlan.hipaaEnabled', 'the same'),
  {
    ...acts('clientMessages', 'which messages the caller’s end gets'),
    except: {
      'function-call': '`tool-calls` tells of it',
      'function-call-result': '`tool-calls-result` tells of it',
      'tool.completed': '`tool-calls-result` tells of it',
      'assistant.speechStarted': '`speech-update` tells of it',
      'language-changed': 'a call keeps its language',
      'workflow.node.started': 'workflows are not offered',
    },
  },
  {
    ...acts('serverMessages', 'which messages the server gets'),
    except: {
      'assistant.speechStarted': '`speech-update` tells of it',
      'call.artifact.upload': '`end-of-call-report` has the artifact',
      'call.deleted': 'who deletes a call has its answer',
      'call.delete.failed': 'who deletes a call has its answer',
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
  ...serverRows('server'),
  acts('recordingEnabled', 'the older name of `artifactPlan.recordingEnabled`; one false of the two counts'),
  acts('artifactPlan.recordingEnabled', 'the caller is asked, and recorded from a yes on'),
  acts('artifactPlan.recordingRetentionDays', 'our own: in place of `VOICE_RECORDING_DAYS`'),
  acts(
    'artifactPlan.videoRecordingEnabled',
    'the caller is asked, and recorded with the picture of the camera from a yes on, also without `recordingEnabled`; on the telephone the sound alone',
  ),
  acts('artifactPlan.transcriptPlan.enabled', 'false: no transcript'),
  acts('artifactPlan.transcriptPlan.assistantName', 'in place of `AI` in the transcript'),
  acts('artifactPlan.transcriptPlan.userName', 'in place of `User` in the transcript'),
  kept('artifactPlan.recordingFormat', 'mp3', 'a recording has the one format that it has here'),
  kept('artifactPlan.recordingPath', '/calls', 'recordings lie in the store of this installation'),
  kept('artifactPlan.loggingPath', '/logs', 'a call’s log is read at `GET /log`'),
  kept('artifactPlan.loggingEnabled', false, 'a call’s log is always written', [true]),
  kept('artifactPlan.pcapEnabled', true, 'no packets are kept', [false]),
  kept('artifactPlan.fullMessageHistoryEnabled', true, 'messages hold what was said and done', [false]),
  ...['structuredOutputIds', 'structuredOutputs'].map((name) =>
    kept(
      `artifactPlan.${name}`,
      ['one'],
      '`analysisPlan.structuredDataPlan` says what is taken out of a call',
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
  kept('compliancePlan.recordingConsentPlan.type', 'stay-on-line', 'staying on the line is no consent', [
    'verbal',
  ]),
  acts(
    'backgroundSound',
    '`office`: a quiet room behind the voice, made here; an address: that sound, over and over; nothing else is the default, also on the telephone',
  ),
  acts(
    'backchannelingEnabled',
    'true: a caller who has spoken for three seconds and speaks on after a pause hears a low ‘mm-hm’, not oftener than every six seconds, and never over a number or a spelling',
  ),
  kept('backgroundDenoisingEnabled', true, 'noise is cancelled in the caller’s browser', [false]),
  kept(
    'backgroundSpeechDenoisingPlan',
    { smartDenoisingPlan: { enabled: true } },
    'noise is cancelled in the caller’s browser',
    [{}, { smartDenoisingPlan: { enabled: false } }],
  ),
  kept('modelOutputInMessagesEnabled', true, 'messages hold what was really said', [false]),
  acts(
    'voicemailDetection.provider',
    'of calls that go out: a machine is recognised by its words and its tone, here, whatever provider is named',
  ),
  ...['beepMaxAwaitSeconds', 'backoffPlan', 'type'].map((name) =>
    kept(`voicemailDetection.${name}`, 'audio', 'words and tone are listened to in the first minute'),
  ),
  acts('voicemailMessage', 'said to it after the tone, or after 2.5 s of silence; without one it is hung up'),
  acts('keypadInputPlan.enabled', 'on the telephone: what is pressed is a turn of the caller'),
  acts('keypadInputPlan.timeoutSeconds', 'when it is taken without a delimiter'),
  acts('keypadInputPlan.delimiters', 'the keys that end it'),
  kept('transportConfigurations', [{ provider: 'twilio' }], 'trunks have settings of their own', [[]]),
  acts('monitorPlan.listenEnabled', 'false: nobody listens in at `monitor.listenUrl`'),
  acts('monitorPlan.listenAuthenticationEnabled', 'true: only with the private key'),
  acts('monitorPlan.controlEnabled', 'false: nobody controls it at `monitor.controlUrl`'),
  kept('monitorPlan.monitorIds', ['one'], 'nobody is told of a call by a monitor', [[]]),
  acts('monitorPlan.controlAuthenticationEnabled', 'true: only with the private key'),
  kept('observabilityPlan', { provider: 'langfuse' }, 'no traces are sent'),
  {
    ...acts('hooks[].on', '`customer.speech.timeout`: something is said to a silent caller'),
    only: ['customer.speech.timeout'],
    except: {
      'call.ending': 'the server gets `end-of-call-report`',
      'assistant.speech.interrupted': 'an interrupted assistant listens and says nothing',
      'customer.speech.interrupted': 'an assistant does not interrupt its caller',
      'model.response.timeout': 'the embedded dialogue answers in place of a model that does not',
      'assistant.transcriber.endpointedSpeechLowConfidence': 'what was not understood is asked for again',
    },
  },
  kept('hooks[].filters', [{ type: 'oneOf' }], 'a hook acts whenever its event comes', [[]]),
  acts('hooks[].name', 'given back as it came'),
  {
    ...acts('hooks[].do[].type', '`say`'),
    only: ['say'],
    except: {
      tool: 'a hook calls no tool',
      'message.add': 'a hook adds nothing to what was said',
    },
  },
  acts('hooks[].do[].exact', 'what is said; of several one after another'),
  kept('hooks[].do[].tool', { type: 'endCall' }, 'a hook calls no tool'),
  kept('hooks[].do[].toolId', '3f0f43a6-4f0a-4c39-8a51-0d9a7d6a3c11', 'a hook calls no tool'),
  kept('hooks[].do[].prompt', 'Ask whether they are there', 'a hook says what stands in `exact`'),
  acts('hooks[].options.timeoutSeconds', 'after so much silence, 7.5 s'),
  acts('hooks[].options.triggerMaxCount', 'so often, 3 times'),
  acts('hooks[].options.triggerResetMode', '`onUserSpeech`: so often again once the caller spoke'),
  acts('credentials.*', 'of this assistant, before those that are stored'),
  acts('credentialIds', 'the only stored ones that it may use'),
  acts('messagePlan.idleMessages', 'said in turn to a silent caller'),
  acts('messagePlan.idleTimeoutSeconds', 'after so much silence'),
  acts('messagePlan.idleMessageMaxSpokenCount', 'so often'),
  acts('messagePlan.silenceTimeoutMessage', 'said before silence ends the call'),
  acts('startSpeakingPlan.waitSeconds', 'speech is not answered sooner'),
  acts('startSpeakingPlan.transcriptionEndpointingPlan.onPunctuationSeconds', 'the pause that ends a turn'),
  acts('startSpeakingPlan.transcriptionEndpointingPlan.onNoPunctuationSeconds', 'the same without a mark'),
  acts('startSpeakingPlan.transcriptionEndpointingPlan.onNumberSeconds', 'the same after a number'),
  kept('startSpeakingPlan.smartEndpointingEnabled', true, 'turns end by pause and sentence', [false]),
  kept('startSpeakingPlan.smartEndpointingPlan', { provider: 'livekit' }, 'turns end by pause and sentence'),
  acts(
    'startSpeakingPlan.customEndpointingRules.*',
    'pauses by what was said, expressions in the words of RE2',
  ),
  acts('stopSpeakingPlan.numWords', 'words that an interruption needs'),
  acts('stopSpeakingPlan.voiceSeconds', 'voice that silences the assistant'),
  acts('stopSpeakingPlan.backoffSeconds', 'silence after an interruption'),
  acts('stopSpeakingPlan.acknowledgementPhrases', 'never take the turn'),
  acts('stopSpeakingPlan.interruptionPhrases', 'always take the turn'),
  acts('analysisPlan.minMessagesThreshold', 'shorter calls are not analysed'),
  acts('analysisPlan.summaryPlan.enabled', 'false: no summary'),
  acts('analysisPlan.structuredDataPlan.enabled', 'false: no structured data'),
  acts('analysisPlan.structuredDataPlan.schema.*', 'what they are'),
  acts('analysisPlan.successEvaluationPlan.enabled', 'false: no evaluation'),
  acts('analysisPlan.successEvaluationPlan.rubric', 'how a model evaluates'),
  ...['summaryPlan', 'structuredDataPlan', 'successEvaluationPlan'].map((plan) =>
    kept(
      `analysisPlan.${plan}.timeoutSeconds`,
      5,
      'an analysis is made when the call is over and has time of its own',
    ),
  ),
  kept('analysisPlan.structuredDataMultiPlan', [{ key: 'one' }], '`structuredDataPlan` is the one schema', [
    [],
  ]),
  kept('analysisPlan.outcomeIds', ['one'], '`successEvaluationPlan` evaluates a call', [[]]),
  acts('analysisPlan.structuredDataSchema.*', 'the older name of `structuredDataPlan.schema`'),
  acts('analysisPlan.summaryPlan.messages.*', 'an own question to the language model'),
  acts('analysisPlan.structuredDataPlan.messages.*', 'an own question to the language model'),
  acts('analysisPlan.successEvaluationPlan.messages.*', 'an own question to the language model'),
  acts('analysisPlan.summaryPrompt', 'the older way of an own question'),
  acts('analysisPlan.successEvaluationPrompt', 'the older way of an own question'),
  acts('analysisPlan.structuredDataPrompt', 'the older way of an own question'),
  provided(
    'transcriber',
    'hears, with a credential; the embedded recogniser takes over when it fails; `embedded` beside a realtime model of the assistant’s own hears here',
  ),
  acts('transcriber.model', 'of the provider; of OpenAI also what writes down what a realtime session hears'),
  acts('transcriber.language', 'of the provider; the embedded recogniser hears English'),
  kept('transcriber.smartFormat', true, 'how words are written is decided here', [false]),
  kept('transcriber.endpointing', 300, '`startSpeakingPlan` says which pause ends a turn'),
  kept('transcriber.confidenceThreshold', 0.4, 'what was not understood is asked for again'),
  kept(
    'transcriber.fallbackPlan',
    { autoFallback: { enabled: false } },
    'the embedded recogniser takes over',
  ),
  acts('transcriber.keywords', 'of Deepgram'),
  acts('transcriber.keyterm', 'of Deepgram'),
  provided(
    'voice',
    'speaks, with a credential; the embedded voice takes over when it fails; `embedded` beside a realtime model of the assistant’s own speaks here',
  ),
  acts(
    'voice.voiceId',
    'of the provider, or of the embedded voices, which speak where one is named; of OpenAI a realtime session’s too',
  ),
  acts('voice.model', 'of the provider; a realtime session speaks where none is named'),
  acts('voice.speed', 'of the provider'),
  acts('voice.language', 'of ElevenLabs and Cartesia'),
  kept('voice.fallbackPlan', { voices: [] }, 'the embedded voice takes over'),
  kept('voice.chunkPlan', { enabled: false }, 'a voice gets one sentence after another'),
  kept('voice.cachingEnabled', false, 'the voice decides itself what it keeps of a call', [true]),
  kept('voice.optimizeStreamingLatency', 3, 'the provider’s own is taken'),
  acts('voice.stability', 'of ElevenLabs'),
  acts('voice.similarityBoost', 'of ElevenLabs'),
  acts('voice.style', 'of ElevenLabs'),
  acts('voice.useSpeakerBoost', 'of ElevenLabs'),
  provided('model', 'answers, with a credential; the embedded dialogue takes over when it fails'),
  acts(
    'model.model',
    'of the provider; one of OpenAI with `realtime` in its name hears, answers and speaks in one session',
  ),
  acts('model.url', 'where a `custom-llm` is'),
  kept('model.systemPrompt', 'You are kind.', 'a message with the role `system` is the prompt'),
  kept('model.functions', [{ name: 'f' }], 'a `function` tool in `model.tools` is called', [[]]),
  kept('model.fallbackModels', ['gpt-4o'], 'the embedded dialogue takes over', [[]]),
  kept('model.emotionRecognitionEnabled', true, 'a model gets the words alone', [false]),
  kept('model.numFastTurns', 1, 'every turn goes to the same model', [0]),
  kept('model.knowledgeBaseId', 'one', '`knowledgeBase.fileIds` names the files'),
  acts('model.messages[].role', '`system` is the prompt'),
  acts('model.messages[].content', 'what a prompt says'),
  acts('model.temperature', 'of a language model; a realtime session has none, and the call’s log says so'),
  acts(
    'model.maxTokens',
    'of a language model; a spoken answer of a realtime session may have seven times as many',
  ),
  acts('model.toolIds', 'kept tools, after the assistant’s own'),
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
  acts('name', 'given back as it came'),
  acts('members[].assistantId', 'who takes part'),
  acts('members[].assistant>assistant', 'as in the table of assistants'),
  acts('members[].assistantOverrides>assistant', 'as in the table of assistants'),
  acts('members[].assistantDestinations[].type', '`assistant`: whom the member may hand over to'),
  acts('members[].assistantDestinations[].assistantName', 'its name'),
  acts('members[].assistantDestinations[].assistantId', 'or its id'),
  acts('members[].assistantDestinations[].description', 'when, for a model'),
  acts('members[].assistantDestinations[].message', 'said before it takes over'),
  ...handoverRows('members[].assistantDestinations[]'),
  kept('members[].assistantVersion', '2', 'a call takes the present version of an assistant'),
  acts('membersOverrides>assistant', 'as in the table of assistants'),
];

/** How a call goes over to another assistant. */
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
  acts('async', 'true: its result is not waited for'),
  acts('description', 'what an `apiRequest` is for'),
  acts('url', 'where an `apiRequest` goes; `{{name}}` is filled'),
  acts('method', 'GET, POST, PUT, PATCH or DELETE'),
  acts('headers.*', 'of an `apiRequest`, those with a `value`'),
  acts('body.*', 'the schema of what it sends; a `value` is fixed'),
  acts('timeoutSeconds', 'an answer is waited for so long, 15 s at most'),
  acts('function.name', 'what it is called by'),
  acts('function.description', 'what it is for'),
  acts('function.parameters.*', 'what it needs'),
  kept('function.strict', true, 'models are asked without it', [false]),
  ...serverRows('server'),
  acts('knowledgeBases[].name', 'of the files that it searches'),
  acts('knowledgeBases[].description', 'of the files that it searches'),
  acts('knowledgeBases[].fileIds', 'the files that it searches'),
  kept('knowledgeBases[].provider', 'trieve', 'files are read and searched here', ['canonical', 'google']),
  {
    ...acts(
      'messages[].type',
      '`request-start` is said first, `request-response-delayed` where no answer comes, `request-complete` and `request-failed` in place of an answer made of the result',
    ),
    only: ['request-start', 'request-response-delayed', 'request-complete', 'request-failed'],
  },
  acts('messages[].content', 'what is said'),
  acts('messages[].contents.*', 'the same in several languages, of which the English one is said'),
  acts('messages[].timingMilliseconds', 'when an answer is late, 3000'),
  acts('messages[].endCallAfterSpokenEnabled', 'true: the call ends with it'),
  kept('messages[].blocking', true, 'the tool is asked while it is said', [false]),
  kept('messages[].conditions', [{ operator: 'eq' }], 'a message with conditions is not said', [[]]),
  kept('messages[].role', 'system', 'a hint for a model is not given', ['assistant']),
  {
    ...acts('destinations[].type', '`assistant`: whom a call is handed to'),
    only: ['assistant', 'number', 'sip'],
  },
  ...handoverRows('destinations[]'),
  kept('destinations[].callerId', '+12025550123', 'the number of the call is shown'),
  kept('destinations[].numberE164CheckEnabled', false, 'a number is always written as +14155550100', [true]),
  kept('destinations[].sipHeaders', { 'x-a': 'b' }, 'no headers are added', [{}]),
  kept(
    'variableExtractionPlan',
    { aliases: [{ key: 'a', value: 'b' }] },
    'a result goes to the dialogue as it came',
    [{}],
  ),
  kept(
    'rejectionPlan',
    { conditions: [{ type: 'regex' }] },
    'a tool is called whenever the dialogue calls it',
    [{}, { conditions: [] }],
  ),
  kept('backoffPlan', { maxRetries: 2 }, 'an `apiRequest` is sent once'),
  kept('credentialId', '3f0f43a6-4f0a-4c39-8a51-0d9a7d6a3c11', 'the headers of an `apiRequest` sign in'),
  kept('encryptedPaths', ['body'], 'requests are encrypted by https only', [[]]),
  acts('destinations[].assistantName', 'its name'),
  acts('destinations[].assistantId', 'or its id'),
  acts('destinations[].assistant>assistant', 'or what it is'),
  acts('destinations[].assistantOverrides>assistant', 'with changes'),
  acts('destinations[].description', 'when, for a model'),
  acts('destinations[].message', 'said before it takes over'),
  acts('destinations[].number', 'on the telephone: who is called for a `number`'),
  acts('destinations[].sipUri', 'on the telephone: who is called for a `sip`'),
  acts('destinations[].extension', 'the keys pressed once it answers'),
  acts(
    'destinations[].transferPlan.sipVerb',
    '`refer`: the other exchange puts the caller through, of a warm transfer in our place; `dial`: we do',
  ),
  acts('destinations[].transferPlan.mode', 'blind, or warm with a message or a summary'),
  acts('destinations[].transferPlan.message', 'said to the person of a warm transfer'),
];

/** What a call says of its subject, in a browser and on the telephone. */
const SUBJECT_ROWS: readonly SettingEffect[] = [
  acts('squadOverrides>assistant', 'of every member, over `membersOverrides`'),
  kept('assistantVersion', '2', 'a call takes the present version of an assistant'),
  refused(
    'transport',
    { provider: 'vapi.websocket' },
    'a call goes by WebRTC or by SIP as it is asked for; no other transport is offered',
  ),
];

const CALL: readonly SettingEffect[] = [
  acts('name', 'given back as it came'),
  acts('metadata.*', 'given back as it came'),
  acts('assistantId', 'who answers'),
  acts('squadId', 'who answers'),
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

/** A customer, alone or one of several. */
function customerRows(at: string): SettingEffect[] {
  return [
    acts(`${at}.number`, 'who is called, where a trunk and the rules allow it'),
    acts(`${at}.sipUri`, 'who is called'),
    acts(`${at}.name`, 'fills `{{customer.name}}`'),
    acts(`${at}.email`, 'given back as it came'),
    acts(`${at}.externalId`, 'given back as it came'),
    acts(`${at}.extension`, 'is dialled when somebody has answered'),
    kept(`${at}.numberE164CheckEnabled`, false, 'a number is always written as +14155550100', [true]),
    acts(`${at}.assistantOverrides>assistant`, 'as in the table of assistants'),
    acts(`${at}.squadOverrides>assistant`, 'of every member, over those of the call'),
  ];
}
const PHONE_CALL: readonly SettingEffect[] = [
  acts('name', 'given back as it came'),
  acts('metadata.*', 'given back as it came'),
  acts('assistantId', 'who calls'),
  acts('squadId', 'who calls'),
  acts('assistant>assistant', 'as in the table of assistants'),
  acts('assistantOverrides>assistant', 'as in the table of assistants'),
  acts('squad>squad', 'as in the table of squads'),
  ...SUBJECT_ROWS,
  acts('phoneNumberId', 'the number that is shown, and whose trunk is taken'),
  refused('phoneNumber', {}, 'numbers are imported first; name the imported one by phoneNumberId'),
  refused(
    'customerId',
    '3f0f43a6-4f0a-4c39-8a51-0d9a7d6a3c11',
    'there is no list of customers here; give customer with a number or a sipUri',
  ),
  ...customerRows('customer'),
  ...customerRows('customers[]'),
  acts('schedulePlan.earliestAt', 'the call is made from then on, as lines are free'),
  acts('schedulePlan.latestAt', 'after it the call is not made any more'),
];

/** Every accepted field of assistants, squads, tools and calls; docs/voice-api.md is written from it. */
export const SETTING_EFFECTS: Readonly<Record<SettingPart, readonly SettingEffect[]>> = {
  assistant: ASSISTANT,
  squad: SQUAD_ROWS,
  tool: TOOL,
  call: CALL,
  phoneCall: PHONE_CALL,
};

/** Types of tools that nothing here can carry out, and what to do instead: they are refused by name. */
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
