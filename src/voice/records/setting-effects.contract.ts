import type { ProvidedEngine } from './provider-list.contract.ts';

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
  /** For a field that acts: the file and the title of the test that shows it. */
  readonly test?: readonly [file: string, title: string];
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
}

type Test = readonly [file: string, title: string];

const acts = (at: string, says: string, test: Test): SettingEffect => ({ at, does: 'acts', says, test });
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

const MESSAGES: Test = [
  'src/voice/calls/assistant-webhook.test.ts',
  'a call tells its server what happens while it happens, in order, signed, as far as it is wanted',
];
const BACK_CHANNELS: Test = [
  'src/voice/calls/conversation/back-channel.test.ts',
  'who tells something long and speaks on after a pause is shown that one listens, now and then',
];
const HEADERS: Test = [
  'src/voice/calls/assistant-webhook.test.ts',
  'headers of the assistant go with it, except those that frame and sign a request',
];
const FIRST: Test = [
  'src/voice/calls/conversation/conversation-step.test.ts',
  'a first message may be made up, or wait until it is asked for, and comes once',
];
const FIRST_WHOLE: Test = [
  'src/voice/calls/conversation/conversation-step.test.ts',
  'a first message that may not be interrupted is heard to its end',
];
const TIMES: Test = [
  'src/voice/calls/conversation/conversation-end.test.ts',
  'nobody came, nobody spoke, or it took too long',
];
const DELAYS: Test = [
  'src/voice/calls/conversation/conversation-step.test.ts',
  'speech is not answered sooner than the response delay, nor an interruption within its back-off',
];
const WORDS: Test = [
  'src/voice/calls/conversation/conversation-step.test.ts',
  'an assistant that wants three words goes on speaking until they are there',
];
const IDLE: Test = [
  'src/voice/calls/assistant-plans.test.ts',
  'asks a silent caller in turn, so often, and the silence still ends the call with a last word',
];
const HOOKS: Test = [
  'src/voice/calls/assistant-plans.test.ts',
  'hooks say something to a silent caller, each after its own time and so often, again once the caller spoke',
];
const PHRASES: Test = [
  'src/voice/calls/assistant-plans.test.ts',
  'stopSpeakingPlan names phrases that never and always take the turn',
];
const PAUSES: Test = [
  'src/voice/calls/assistant-plans.test.ts',
  'startSpeakingPlan says how long a pause ends a turn',
];
const ANALYSIS: Test = [
  'src/voice/calls/assistant-plans.test.ts',
  'analysisPlan: what is not wanted is left out, structured data follow the schema',
];
const MODEL_ANALYSIS: Test = [
  'src/voice/composition/provider-engines.test.ts',
  'a call is summed up by the model where its plan asks for it, its transcript marked as data',
];
const FILES: Test = [
  'src/voice/api/file-routes.test.ts',
  'an assistant answers from the files that it names, aloud, and as data for a model',
];
const SQUAD: Test = [
  'src/voice/calls/call-manager.test.ts',
  'a squad is answered by its first member, with every override in its order',
];
const APPENDED: Test = [
  'src/voice/calls/call-manager.test.ts',
  'a call adds tools and changes every member of its squad',
];
const SQUAD_OVERRIDES: Test = APPENDED;
const TRANSCRIPT: Test = [
  'src/voice/calls/call-events.test.ts',
  'a transcript has the names that its plan gives, or is left out',
];
const SAID: Test = [
  'src/voice/dialogue/spoken-tools.test.ts',
  'a tool says what its makers want said: at its start, where it is late, done, or failed, and may end the call',
];
const TEAM: Test = [
  'src/voice/dialogue/team-dialogue.test.ts',
  'a squad hands a call over where the caller asks for it by name, and where its model does',
];
const HANDOFF: Test = [
  'src/voice/dialogue/team-dialogue.test.ts',
  'handoff tools name assistants that are kept or described; only those that are there can be asked for',
];
const FUNCTION: Test = [
  'src/voice/calls/assistant-webhook.test.ts',
  'a function tool is asked of its server, and its result or its error is what the dialogue gets',
];
const TOOL_SERVER: Test = [
  'src/voice/calls/assistant-webhook.test.ts',
  'a tool may have a server of its own, be asked the old way, or not be waited for',
];
const TEMPLATES: Test = [
  'src/voice/calls/template-filling.test.ts',
  'templates are filled in every text of an assistant, with the time of the agency',
];
const MODEL: Test = [
  'src/voice/composition/provider-engines.test.ts',
  'a language model speaks sentence by sentence and is told what was said before',
];
const BODIES: Test = [
  'src/voice/api/setting-warnings.test.ts',
  'what is kept as it came is shown as it came, and no warning names it',
];
const PROVIDED = 'src/voice/composition/call-providers.test.ts';
const ANSWERS: Test = [
  PROVIDED,
  'an assistant’s model answers: OpenAI’s wire with a stored credential, one of its own, and custom-llm',
];
const REALTIME: Test = [
  'src/voice/composition/realtime-engines.test.ts',
  'a spoken turn: the sound goes to the session, its sentences come back with their sound, none lost, none twice',
];
const SPEAKS: Test = [
  PROVIDED,
  'an assistant’s voice speaks: ElevenLabs, Cartesia and OpenAI; what one does not begin the embedded voice says',
];
const HEARS: Test = [
  PROVIDED,
  'an assistant’s recogniser hears: Deepgram with language and words, OpenAI with language; the embedded one else',
];
const provided = (engine: ProvidedEngine, says: string, test: Test): SettingEffect => ({
  ...acts(`${engine}.provider`, says, test),
  provides: engine,
});
const RULES: Test = [
  'src/voice/calls/assistant-plans.test.ts',
  'customEndpointingRules: the pause follows what was said and asked, in time that grows with the text only',
];
const PROMPTS: Test = [
  'src/voice/composition/provider-engines.test.ts',
  'own questions of analysisPlan take the place of the usual ones, filled with transcript, schema and rubric',
];
const REQUEST: Test = [
  'src/voice/composition/assistant-tools.test.ts',
  'an apiRequest tool sends what it was given, what is fixed, and filled headers, and its answer is the result',
];
const MCP: Test = [
  'src/voice/composition/assistant-tools.test.ts',
  'tools of an MCP server are listed when the call begins, and called with what was given',
];
const BACKGROUND: Test = [
  'src/voice/calls/background/background-heard.test.ts',
  'an assistant’s office is heard under its words and its silence, and is not taken for its voice',
];
const RECORDED: Test = [
  'src/voice/recording/call-recording.test.ts',
  'a call whose caller agrees is recorded, both sides apart, and its sound goes with it',
];
const VIDEO_RECORDED: Test = [
  'src/voice/recording/video-recording.test.ts',
  'who agrees is recorded with the camera; without ffmpeg picture and sound stay two files, and that is said',
];
const NOT_RECORDED: Test = [
  'src/voice/recording/call-recording.test.ts',
  'attack 44: one false switches it off, a visitor cannot switch it on, and under HIPAA nobody is asked',
];
const OLD_RECORDINGS: Test = [
  'src/voice/recording/call-recording.test.ts',
  'the recording of a killed process is stored by the next one, old ones expire, leftovers go',
];
const CONSENT: Test = [
  'src/voice/dialogue/recording-consent.test.ts',
  'the question follows the first words, and a yes is given once',
];
const KEYPAD: Test = [
  'src/voice/telephony/phone/phone-calls.test.ts',
  'a telephone reaches a bought number: it is greeted, presses keys, holds, and hangs up',
];
const PUT_THROUGH: Test = [
  'src/voice/telephony/phone/phone-calls.test.ts',
  'a caller is put through to a person, and stays with the assistant where nobody is there',
];
const REFERRED: Test = [
  'src/voice/telephony/phone/line-transfer.test.ts',
  'a warm transfer by REFER: the person hears the message, and the other exchange takes our place',
];
const MONITOR: Test = [
  'src/voice/api/monitor-routes.test.ts',
  'an assistant may be closed to listening and control, or open with the private key only',
];
const PHONE: string = 'src/voice/telephony/phone/phone-calls.test.ts';
const PHONE_BODIES: Test = [
  PHONE,
  'a telephone call gives back what it was asked with, and warns of what does not act',
];
const SEVERAL: Test = [
  PHONE,
  'several customers are called as lines are free; a wrong one is an error of its own',
];
const CALLED: Test = [PHONE, 'a call that goes out: ringing, answered, busy, refused, not taken'];
const EXTENSION: Test = [PHONE, 'an extension is dialled when somebody has answered'];
const LATE: Test = [PHONE, 'a scheduled call that could not begin in time is not made any more'];
const TRUNK: Test = [
  PHONE,
  'a trunk of one’s own: its gateway is called with its password, allowed numbers only',
];
const MACHINE: Test = [
  'src/voice/calls/conversation/machine-detection.test.ts',
  'a machine is not talked to: it gets the message after its tone, or the end without one',
];

/** Where messages are sent: an assistant, a tool and a phone number have the same members for it. */
function serverRows(at: string): SettingEffect[] {
  return [
    acts(`${at}.url`, 'messages and questions go there', MESSAGES),
    acts(`${at}.secret`, 'signs messages, and is sent as `x-vapi-secret`', MESSAGES),
    acts(`${at}.timeoutSeconds`, 'how long an answer is waited for, at most 15 s', HEADERS),
    acts(`${at}.headers.*`, 'are sent with each request', HEADERS),
    kept(
      `${at}.credentialId`,
      '3f0f43a6-4f0a-4c39-8a51-0d9a7d6a3c11',
      'the secret and the headers authenticate requests',
    ),
    kept(
      `${at}.backoffPlan`,
      { maxRetries: 2 },
      'failed messages are repeated for seconds, reports for hours',
    ),
    kept(`${at}.staticIpAddressesEnabled`, true, 'requests come from this server’s address', [false]),
    kept(`${at}.encryptedPaths`, ['call'], 'messages are signed, and encrypted by https only', [[]]),
  ];
}

const ASSISTANT: readonly SettingEffect[] = [
  acts('name', 'the name that a hand-over asks for', TEAM),
  acts('metadata.*', 'returned unchanged', BODIES),
  acts('variableValues.*', 'values for the texts’ templates, filled in by LiquidJS', TEMPLATES),
  acts('tools:append[]>tool', 'tools of this call, after the assistant’s own', APPENDED),
  acts('firstMessage', 'said first', FIRST),
  acts(
    'firstMessageMode',
    'whether the first message is said at once, invented, or waits for the caller',
    FIRST,
  ),
  acts('firstMessageInterruptionsEnabled', 'false: callers cannot interrupt it', FIRST_WHOLE),
  acts('endCallMessage', 'the last words', [
    'src/voice/calls/conversation/conversation-end.test.ts',
    'the assistant hangs up after its goodbye was heard, and nothing interrupts it',
  ]),
  acts('endCallPhrases', 'end the call when the assistant has said one', [
    'src/voice/calls/conversation/conversation-end.test.ts',
    'a phrase of the assistant ends the call when it was heard',
  ]),
  acts('silenceTimeoutSeconds', 'silence of this length ends the call', TIMES),
  acts('maxDurationSeconds', 'the call ends after this time', TIMES),
  acts('responseDelaySeconds', 'the shortest pause before an answer', DELAYS),
  acts('numWordsToInterruptAssistant', 'how many words an interruption needs', WORDS),
  kept('llmRequestDelaySeconds', 2, 'a turn is answered as soon as it is over', [0, 0.1]),
  kept('llmRequestNonPunctuatedDelaySeconds', 2, 'a turn is answered as soon as it is over', [0]),
  acts('hipaaEnabled', 'nothing that was said is stored', [
    'src/voice/calls/assistant-plans.test.ts',
    'hipaaEnabled: nothing that was said is in the record',
  ]),
  acts('compliancePlan.hipaaEnabled', 'the same', [
    'src/voice/calls/assistant-plans.test.ts',
    'hipaaEnabled: nothing that was said is in the record',
  ]),
  {
    ...acts('clientMessages', 'which messages the caller’s client gets', [
      'src/voice/calls/call-runner.test.ts',
      'a spoken call: greeting, question, answer, tool, goodbye, and everything in its record',
    ]),
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
    ...acts('serverMessages', 'which messages the server gets', MESSAGES),
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
  acts('serverUrl', 'the older name of `server.url`', MESSAGES),
  acts('serverUrlSecret', 'the older name of `server.secret`', MESSAGES),
  ...serverRows('server'),
  acts(
    'recordingEnabled',
    'the older name of `artifactPlan.recordingEnabled`; if one of the two is false, nothing is recorded',
    NOT_RECORDED,
  ),
  acts('artifactPlan.recordingEnabled', 'the caller is asked, and recorded after agreeing', RECORDED),
  acts(
    'artifactPlan.recordingRetentionDays',
    'an addition of ours: replaces `VOICE_RECORDING_DAYS`',
    OLD_RECORDINGS,
  ),
  acts(
    'artifactPlan.videoRecordingEnabled',
    'the caller is asked, and after agreeing recorded with the camera’s picture, also without `recordingEnabled`; on the telephone only the sound is recorded',
    VIDEO_RECORDED,
  ),
  acts('artifactPlan.transcriptPlan.enabled', 'false: no transcript', TRANSCRIPT),
  acts('artifactPlan.transcriptPlan.assistantName', 'in place of `AI` in the transcript', TRANSCRIPT),
  acts('artifactPlan.transcriptPlan.userName', 'in place of `User` in the transcript', TRANSCRIPT),
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
  acts('compliancePlan.recordingConsentPlan.message', 'the question before a recording', CONSENT),
  kept(
    'compliancePlan.recordingConsentPlan.type',
    'stay-on-line',
    'staying on the line does not count as consent',
    ['verbal'],
  ),
  acts(
    'backgroundSound',
    '`office`: the generated sound of a quiet office behind the voice; an address: that sound, repeated; without it there is no sound, also on the telephone',
    BACKGROUND,
  ),
  acts(
    'backchannelingEnabled',
    'true: a caller who has spoken for three seconds and goes on after a pause hears a quiet ‘mm-hm’, at most every six seconds, and never while reading out a number or spelling',
    BACK_CHANNELS,
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
    MACHINE,
  ),
  ...['beepMaxAwaitSeconds', 'backoffPlan', 'type'].map((name) =>
    kept(`voicemailDetection.${name}`, 'audio', 'words and tone are listened to in the first minute'),
  ),
  acts(
    'voicemailMessage',
    'said to the machine after the tone, or after 2.5 s of silence; without a message the call is hung up',
    MACHINE,
  ),
  acts('keypadInputPlan.enabled', 'on the telephone: pressed keys are a turn of the caller', KEYPAD),
  acts('keypadInputPlan.timeoutSeconds', 'after this time the keys count without a delimiter', KEYPAD),
  acts('keypadInputPlan.delimiters', 'the keys that end the turn', KEYPAD),
  kept('transportConfigurations', [{ provider: 'twilio' }], 'trunks have settings of their own', [[]]),
  acts('monitorPlan.listenEnabled', 'false: nobody listens in at `monitor.listenUrl`', MONITOR),
  acts('monitorPlan.listenAuthenticationEnabled', 'true: only with the private key', MONITOR),
  acts('monitorPlan.controlEnabled', 'false: nobody controls it at `monitor.controlUrl`', MONITOR),
  kept('monitorPlan.monitorIds', ['one'], 'monitors do not report calls', [[]]),
  acts('monitorPlan.controlAuthenticationEnabled', 'true: only with the private key', MONITOR),
  kept('observabilityPlan', { provider: 'langfuse' }, 'no traces are sent'),
  {
    ...acts('hooks[].on', '`customer.speech.timeout`: something is said to a silent caller', HOOKS),
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
  acts('hooks[].name', 'returned unchanged', BODIES),
  {
    ...acts('hooks[].do[].type', '`say`', HOOKS),
    only: ['say'],
    except: {
      tool: 'a hook cannot call a tool',
      'message.add': 'a hook cannot add to the conversation',
    },
  },
  acts('hooks[].do[].exact', 'the sentence; several are said one after another', HOOKS),
  kept('hooks[].do[].tool', { type: 'endCall' }, 'a hook cannot call a tool'),
  kept('hooks[].do[].toolId', '3f0f43a6-4f0a-4c39-8a51-0d9a7d6a3c11', 'a hook cannot call a tool'),
  kept('hooks[].do[].prompt', 'Ask whether they are there', 'a hook says the text of `exact`'),
  acts('hooks[].options.timeoutSeconds', 'after silence of this length, 7.5 s by default', HOOKS),
  acts('hooks[].options.triggerMaxCount', 'how often, 3 times by default', HOOKS),
  acts(
    'hooks[].options.triggerResetMode',
    '`onUserSpeech`: the count starts again once the caller has spoken',
    HOOKS,
  ),
  acts('credentials.*', 'credentials of this assistant, used before stored ones', ANSWERS),
  acts('credentialIds', 'the only stored credentials that it may use', ANSWERS),
  acts('messagePlan.idleMessages', 'said to a silent caller, one after another', IDLE),
  acts('messagePlan.idleTimeoutSeconds', 'after silence of this length', IDLE),
  acts('messagePlan.idleMessageMaxSpokenCount', 'how often', IDLE),
  acts('messagePlan.silenceTimeoutMessage', 'said before silence ends the call', IDLE),
  acts('startSpeakingPlan.waitSeconds', 'the shortest pause before an answer', DELAYS),
  acts(
    'startSpeakingPlan.transcriptionEndpointingPlan.onPunctuationSeconds',
    'the pause that ends a turn',
    PAUSES,
  ),
  acts(
    'startSpeakingPlan.transcriptionEndpointingPlan.onNoPunctuationSeconds',
    'the same without a punctuation mark',
    PAUSES,
  ),
  acts('startSpeakingPlan.transcriptionEndpointingPlan.onNumberSeconds', 'the same after a number', PAUSES),
  kept('startSpeakingPlan.smartEndpointingEnabled', true, 'turns end by pause and sentence', [false]),
  kept('startSpeakingPlan.smartEndpointingPlan', { provider: 'livekit' }, 'turns end by pause and sentence'),
  acts('startSpeakingPlan.customEndpointingRules.*', 'pauses by what was said; expressions are RE2’s', RULES),
  acts('stopSpeakingPlan.numWords', 'how many words an interruption needs', WORDS),
  acts('stopSpeakingPlan.voiceSeconds', 'how much voice silences the assistant', PHRASES),
  acts('stopSpeakingPlan.backoffSeconds', 'silence after an interruption', DELAYS),
  acts('stopSpeakingPlan.acknowledgementPhrases', 'never take the turn', PHRASES),
  acts('stopSpeakingPlan.interruptionPhrases', 'always take the turn', PHRASES),
  acts('analysisPlan.minMessagesThreshold', 'shorter calls are not analysed', ANALYSIS),
  acts('analysisPlan.summaryPlan.enabled', 'false: no summary', ANALYSIS),
  acts('analysisPlan.structuredDataPlan.enabled', 'false: no structured data', ANALYSIS),
  acts('analysisPlan.structuredDataPlan.schema.*', 'their schema', ANALYSIS),
  acts('analysisPlan.successEvaluationPlan.enabled', 'false: no evaluation', ANALYSIS),
  acts('analysisPlan.successEvaluationPlan.rubric', 'the scale of the evaluation', MODEL_ANALYSIS),
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
  acts('analysisPlan.structuredDataSchema.*', 'the older name of `structuredDataPlan.schema`', ANALYSIS),
  acts('analysisPlan.summaryPlan.messages.*', 'the assistant’s own question to the language model', PROMPTS),
  acts(
    'analysisPlan.structuredDataPlan.messages.*',
    'the assistant’s own question to the language model',
    PROMPTS,
  ),
  acts(
    'analysisPlan.successEvaluationPlan.messages.*',
    'the assistant’s own question to the language model',
    PROMPTS,
  ),
  acts('analysisPlan.summaryPrompt', 'the older form of such a question', PROMPTS),
  acts('analysisPlan.successEvaluationPrompt', 'the older form of such a question', PROMPTS),
  acts('analysisPlan.structuredDataPrompt', 'the older form of such a question', PROMPTS),
  provided(
    'transcriber',
    'recognises speech, with a credential; the embedded recogniser takes over when it fails; `embedded` chooses this server’s recogniser beside the assistant’s own realtime model',
    HEARS,
  ),
  acts(
    'transcriber.model',
    'the provider’s model; for OpenAI also the one that transcribes a realtime session',
    HEARS,
  ),
  acts('transcriber.language', 'for the provider; the embedded recogniser understands English', HEARS),
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
  acts('transcriber.keywords', 'for Deepgram', HEARS),
  acts('transcriber.keyterm', 'for Deepgram', HEARS),
  provided(
    'voice',
    'speaks, with a credential; the embedded voice takes over when it fails; `embedded` chooses this server’s voice beside the assistant’s own realtime model',
    SPEAKS,
  ),
  acts(
    'voice.voiceId',
    'a voice of the provider, or an embedded voice, which then speaks; for OpenAI also the voice of a realtime session',
    SPEAKS,
  ),
  acts('voice.model', 'the provider’s model; without one a realtime session speaks', SPEAKS),
  acts('voice.speed', 'for the provider', SPEAKS),
  acts('voice.language', 'for ElevenLabs and Cartesia', SPEAKS),
  kept('voice.fallbackPlan', { voices: [] }, 'the embedded voice takes over'),
  kept('voice.chunkPlan', { enabled: false }, 'a voice gets one sentence after another'),
  kept('voice.cachingEnabled', false, 'the voice decides itself which sounds it keeps', [true]),
  kept('voice.optimizeStreamingLatency', 3, 'the provider’s own value is used'),
  acts('voice.stability', 'for ElevenLabs', SPEAKS),
  acts('voice.similarityBoost', 'for ElevenLabs', SPEAKS),
  acts('voice.style', 'for ElevenLabs', SPEAKS),
  acts('voice.useSpeakerBoost', 'for ElevenLabs', SPEAKS),
  provided('model', 'answers, with a credential; the embedded dialogue takes over when it fails', ANSWERS),
  acts(
    'model.model',
    'the provider’s model; one of OpenAI with `realtime` in its name hears, answers and speaks in one session',
    REALTIME,
  ),
  acts('model.url', 'the address of a `custom-llm`', ANSWERS),
  kept('model.systemPrompt', 'You are kind.', 'a message with the role `system` is the prompt'),
  kept('model.functions', [{ name: 'f' }], 'a `function` tool in `model.tools` is called', [[]]),
  kept('model.fallbackModels', ['gpt-4o'], 'the embedded dialogue takes over', [[]]),
  kept('model.emotionRecognitionEnabled', true, 'a model gets only the words', [false]),
  kept('model.numFastTurns', 1, 'every turn goes to the same model', [0]),
  kept('model.knowledgeBaseId', 'one', '`knowledgeBase.fileIds` names the files'),
  acts('model.messages[].role', '`system` is the prompt', MODEL),
  acts('model.messages[].content', 'the text of the prompt', MODEL),
  acts(
    'model.temperature',
    'for a language model; a realtime session has no temperature, and the call’s log says so',
    MODEL,
  ),
  acts(
    'model.maxTokens',
    'for a language model; a spoken answer of a realtime session may have seven times as many',
    MODEL,
  ),
  acts('model.toolIds', 'stored tools, after the assistant’s own', FUNCTION),
  acts('model.tools[]>tool', 'as in the table of tools', FUNCTION),
  kept('model.knowledgeBase.provider', 'trieve', 'files are read and searched here', [
    'canonical',
    'google',
    'agency',
  ]),
  acts('model.knowledgeBase.topK', 'the number of passages', FILES),
  acts('model.knowledgeBase.fileIds', 'the files that are consulted', FILES),
];

const SQUAD_ROWS: readonly SettingEffect[] = [
  acts('name', 'returned unchanged', BODIES),
  acts('members[].assistantId', 'an assistant of the squad', SQUAD),
  acts('members[].assistant>assistant', 'as in the table of assistants', SQUAD),
  acts('members[].assistantOverrides>assistant', 'as in the table of assistants', SQUAD),
  acts(
    'members[].assistantDestinations[].type',
    '`assistant`: an assistant that the member may hand over to',
    TEAM,
  ),
  acts('members[].assistantDestinations[].assistantName', 'its name', TEAM),
  acts('members[].assistantDestinations[].assistantId', 'or its id', HANDOFF),
  acts('members[].assistantDestinations[].description', 'when to hand over, for a model', TEAM),
  acts('members[].assistantDestinations[].message', 'said before the other assistant takes over', TEAM),
  ...handoverRows('members[].assistantDestinations[]'),
  kept('members[].assistantVersion', '2', 'a call takes the present version of an assistant'),
  acts('membersOverrides>assistant', 'as in the table of assistants', SQUAD),
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
      MCP,
    ),
    except: {
      voicemail: 'machines are recognised by `voicemailDetection` of the assistant',
      make: 'an apiRequest tool starts a scenario by its webhook',
    },
  },
  acts('name', 'the name of a `query` or an `apiRequest`', REQUEST),
  acts('async', 'true: the call does not wait for its result', TOOL_SERVER),
  acts('description', 'the purpose of an `apiRequest`', REQUEST),
  acts('url', 'the address of an `apiRequest`; `{{name}}` is filled in', REQUEST),
  acts('method', 'GET, POST, PUT, PATCH or DELETE', REQUEST),
  acts('headers.*', 'headers of an `apiRequest`, those with a `value`', REQUEST),
  acts('body.*', 'the schema of its body; a property with a `value` is fixed', REQUEST),
  acts('timeoutSeconds', 'how long an answer is waited for, at most 15 s', REQUEST),
  acts('function.name', 'its name for the model', FUNCTION),
  acts('function.description', 'its purpose', FUNCTION),
  acts('function.parameters.*', 'its arguments', FUNCTION),
  kept('function.strict', true, 'models are called without it', [false]),
  ...serverRows('server'),
  acts('knowledgeBases[].name', 'for the files that it searches', FILES),
  acts('knowledgeBases[].description', 'for the files that it searches', FILES),
  acts('knowledgeBases[].fileIds', 'the files that it searches', FILES),
  kept('knowledgeBases[].provider', 'trieve', 'files are read and searched here', ['canonical', 'google']),
  {
    ...acts(
      'messages[].type',
      '`request-start` is said first, `request-response-delayed` if no answer comes, `request-complete` and `request-failed` in place of an answer from the result',
      SAID,
    ),
    only: ['request-start', 'request-response-delayed', 'request-complete', 'request-failed'],
  },
  acts('messages[].content', 'the sentence', SAID),
  acts('messages[].contents.*', 'the same in several languages; the English one is said', SAID),
  acts('messages[].timingMilliseconds', 'when an answer is late, 3000 by default', SAID),
  acts('messages[].endCallAfterSpokenEnabled', 'true: the call ends after it', SAID),
  kept('messages[].blocking', true, 'the tool is called while it is said', [false]),
  kept('messages[].conditions', [{ operator: 'eq' }], 'a message with conditions is not said', [[]]),
  kept('messages[].role', 'system', 'hints for a model are not passed on', ['assistant']),
  {
    ...acts('destinations[].type', '`assistant`: an assistant that a call is handed to', HANDOFF),
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
  kept(
    'rejectionPlan',
    { conditions: [{ type: 'regex' }] },
    'a tool is called whenever the dialogue calls it',
    [{}, { conditions: [] }],
  ),
  kept('backoffPlan', { maxRetries: 2 }, 'an `apiRequest` is sent once'),
  kept(
    'credentialId',
    '3f0f43a6-4f0a-4c39-8a51-0d9a7d6a3c11',
    'the headers of an `apiRequest` authenticate it',
  ),
  kept('encryptedPaths', ['body'], 'requests are encrypted by https only', [[]]),
  acts('destinations[].assistantName', 'its name', HANDOFF),
  acts('destinations[].assistantId', 'or its id', HANDOFF),
  acts('destinations[].assistant>assistant', 'or its description', HANDOFF),
  acts('destinations[].assistantOverrides>assistant', 'with its overrides', HANDOFF),
  acts('destinations[].description', 'when to hand over, for a model', HANDOFF),
  acts('destinations[].message', 'said before the other assistant takes over', TEAM),
  acts('destinations[].number', 'on the telephone: the number to call, for a `number`', PUT_THROUGH),
  acts('destinations[].sipUri', 'on the telephone: the address to call, for a `sip`', PUT_THROUGH),
  acts('destinations[].extension', 'the keys that are pressed once somebody answers', PUT_THROUGH),
  acts(
    'destinations[].transferPlan.sipVerb',
    '`refer`: the other exchange puts the caller through, and replaces us in a warm transfer; `dial`: this server does',
    REFERRED,
  ),
  acts('destinations[].transferPlan.mode', 'blind, or warm with a message or a summary', PUT_THROUGH),
  acts('destinations[].transferPlan.message', 'said to the other person in a warm transfer', REFERRED),
];

/** How a call says what it is about, in a browser and on the telephone. */
const SUBJECT_ROWS: readonly SettingEffect[] = [
  acts('squadOverrides>assistant', 'for every member, applied over `membersOverrides`', SQUAD_OVERRIDES),
  kept('assistantVersion', '2', 'a call takes the present version of an assistant'),
  refused(
    'transport',
    { provider: 'vapi.websocket' },
    'a call goes by WebRTC or by SIP as it is asked for; no other transport is offered',
  ),
];

const CALL: readonly SettingEffect[] = [
  acts('name', 'returned unchanged', BODIES),
  acts('metadata.*', 'returned unchanged', BODIES),
  acts('assistantId', 'the assistant or squad that answers', SQUAD),
  acts('squadId', 'the assistant or squad that answers', SQUAD),
  acts('assistant>assistant', 'as in the table of assistants', SQUAD),
  acts('assistantOverrides>assistant', 'as in the table of assistants', SQUAD),
  acts('squad>squad', 'as in the table of squads', SQUAD),
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
    acts(`${at}.number`, 'the number to call, where a trunk and the rules allow it', SEVERAL),
    acts(`${at}.sipUri`, 'the address to call', CALLED),
    acts(`${at}.name`, 'fills `{{customer.name}}`', TEMPLATES),
    acts(`${at}.email`, 'returned unchanged', PHONE_BODIES),
    acts(`${at}.externalId`, 'returned unchanged', PHONE_BODIES),
    acts(`${at}.extension`, 'dialled once somebody has answered', EXTENSION),
    kept(`${at}.numberE164CheckEnabled`, false, 'a number is always written as +14155550100', [true]),
    acts(`${at}.assistantOverrides>assistant`, 'as in the table of assistants', PHONE_BODIES),
    acts(`${at}.squadOverrides>assistant`, 'for every member, applied over those of the call', PHONE_BODIES),
  ];
}
const PHONE_CALL: readonly SettingEffect[] = [
  acts('name', 'returned unchanged', PHONE_BODIES),
  acts('metadata.*', 'returned unchanged', PHONE_BODIES),
  acts('assistantId', 'the assistant or squad that calls', PHONE_BODIES),
  acts('squadId', 'the assistant or squad that calls', SQUAD),
  acts('assistant>assistant', 'as in the table of assistants', PHONE_BODIES),
  acts('assistantOverrides>assistant', 'as in the table of assistants', SQUAD),
  acts('squad>squad', 'as in the table of squads', SQUAD),
  ...SUBJECT_ROWS,
  acts('phoneNumberId', 'the number that is shown, and whose trunk is used', TRUNK),
  refused('phoneNumber', {}, 'numbers are imported first; name the imported one by phoneNumberId'),
  refused(
    'customerId',
    '3f0f43a6-4f0a-4c39-8a51-0d9a7d6a3c11',
    'there is no list of customers here; give customer with a number or a sipUri',
  ),
  ...customerRows('customer'),
  ...customerRows('customers[]'),
  acts('schedulePlan.earliestAt', 'the earliest time of the call, which waits for a free line', SEVERAL),
  acts('schedulePlan.latestAt', 'after this time the call is not made', LATE),
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
