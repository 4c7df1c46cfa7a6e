import { providerAddress } from '../../kernel/config/provider-address.ts';
import type { Settings } from '../../kernel/config/settings.ts';
import type { CallContext } from '../engines/engines.server.ts';
import {
  optionText,
  type ProviderAccess,
  type ProviderChooser,
} from '../engines/providers/provider-access.server.ts';
import { RealtimeSession } from '../engines/realtime/realtime-session.server.ts';

/** The realtime session of a call, and for which engines it stands. */
export interface RealtimeCall {
  readonly session: RealtimeSession;
  /** How its model is reached, and what it charges. */
  readonly access: ProviderAccess;
  /** Whether it hears: not where the assistant names a recogniser of another provider or of this server. */
  readonly hears: boolean;
  /**
   * Whether it speaks: not where the assistant names a voice of another provider or of this server, or one
   * that only reads texts aloud.
   */
  readonly speaks: boolean;
}

interface Choices {
  /** Chooses the assistant's provider of an engine, otherwise the installation's. */
  readonly accessFor: ProviderChooser;
  /** Chooses the assistant's provider only. */
  readonly choose: ProviderChooser;
  /** The embedded voice that an assistant names, if any. */
  ownVoice(assistant: CallContext['assistant']): string | undefined;
}

/** Names of models that hear and speak contain this. */
const REALTIME = /realtime/i;
/** Voices of the provider's speech API that its sessions do not have. */
const READ_ONLY_VOICES = new Set(['fable', 'nova', 'onyx']);
const USUAL_VOICE = 'alloy';
const USUAL_TRANSCRIPTION = 'gpt-4o-mini-transcribe';
/** The range of speeds that sessions accept. */
const SLOWEST = 0.25;
const FASTEST = 1.5;

/**
 * Finds the realtime session of a call. There is one for each model that its assistants name, and the call's
 * engines share it. Undefined for a model or provider without the realtime API, and where nobody is to
 * answer.
 */
export function createRealtimeCalls(
  settings: Pick<Settings, 'VOICE_LLM_URL'>,
  choices: Choices,
): (call: CallContext) => Promise<RealtimeCall | undefined> {
  const usualModel = ({ VOICE_LLM_URL: url }: typeof settings): string =>
    url === '' ? '' : providerAddress(url).model;
  const found = new WeakMap<object, Map<string, Promise<RealtimeCall | undefined>>>();
  return async (call) => {
    const { model, voice, transcriber, credentialIds, credentials } = call.assistant;
    if (call.listensOnly === true) return undefined;
    if (!namesRealtime(call) && !REALTIME.test(usualModel(settings))) return undefined;
    // The same meter belongs to a call wherever its context was wrapped.
    const owner = call.meter ?? call;
    const calls = found.get(owner) ?? new Map<string, Promise<RealtimeCall | undefined>>();
    found.set(owner, calls);
    const { provider = '', model: name = '' } = model ?? {};
    const key = JSON.stringify([provider, name, voice, transcriber, credentialIds, credentials]);
    const there = calls.get(key) ?? realtimeCall(call, choices);
    calls.set(key, there);
    return there;
  };
}

async function realtimeCall(
  call: CallContext,
  { accessFor, choose, ownVoice }: Choices,
): Promise<RealtimeCall | undefined> {
  const access = await accessFor(call, 'model');
  if (access?.provider !== 'openai' || !REALTIME.test(access.address.model)) return undefined;
  const [voice, transcriber] = await Promise.all([choose(call, 'voice'), choose(call, 'transcriber')]);
  const { address, guard } = access;
  const session = new RealtimeSession({
    url: `${address.url.replace(/^http/i, 'ws')}/realtime?model=${encodeURIComponent(address.model)}`,
    key: address.key,
    ...voiceNamed(call, access),
    transcription: transcriptionNamed(call, access),
    warn: (line) => call.log('WARN', line),
    ...(guard === undefined ? {} : { socket: guard.socket }),
  });
  return {
    session,
    access,
    hears: !namesOwn(call, 'transcriber') && (transcriber === undefined || isOf(transcriber, access)),
    speaks:
      ownVoice(call.assistant) === undefined &&
      !namesOwn(call, 'voice') &&
      (voice === undefined || (isOf(voice, access) && !readsOnly(voice))),
  };
}

const namesRealtime = ({ assistant: { model } }: CallContext): boolean => REALTIME.test(model?.model ?? '');

/**
 * Whether an assistant chooses this server's engine: by naming it beside its own realtime model, or by a
 * voice that only this server has. An assistant that names only this server gets what the installation uses.
 */
function namesOwn(call: CallContext, engine: 'transcriber' | 'voice'): boolean {
  return namesRealtime(call) && call.assistant[engine]?.provider === 'embedded';
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The assistant's settings of a part, if it names the model's provider; the session cannot use another
 * provider's.
 */
const ownPart = (part: Fields | undefined, { provider }: ProviderAccess): Fields =>
  part?.provider === provider ? part : {};

function voiceNamed({ assistant }: CallContext, access: ProviderAccess): { voice: string; speed?: number } {
  const part = ownPart(assistant.voice, access);
  const usual = access.address.voice || USUAL_VOICE;
  const voice = optionText(part, 'voiceId', usual);
  const { speed } = part;
  return {
    voice: READ_ONLY_VOICES.has(voice) ? usual : voice,
    ...(typeof speed === 'number' ? { speed: Math.min(FASTEST, Math.max(SLOWEST, speed)) } : {}),
  };
}

function transcriptionNamed({ assistant }: CallContext, access: ProviderAccess) {
  const part = ownPart(assistant.transcriber, access);
  return {
    model: optionText(part, 'model', USUAL_TRANSCRIPTION),
    language: optionText(part, 'language', 'en'),
  };
}

const isOf = (part: ProviderAccess | undefined, { provider }: ProviderAccess): boolean =>
  part?.provider === provider;

/** Whether a voice belongs to another model of the provider, which only reads aloud. */
const readsOnly = ({ address, options }: ProviderAccess): boolean =>
  READ_ONLY_VOICES.has(address.voice) || (typeof options.model === 'string' && !REALTIME.test(options.model));
