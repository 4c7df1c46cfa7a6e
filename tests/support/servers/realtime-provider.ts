import type { WebSocket } from 'ws';

/** What a test sets for the realtime sessions, and what it observes. */
export interface RealtimeProvider {
  /** The clients' events in order, without the sound itself. */
  readonly events: ClientEvent[];
  /** The conversation of the newest session, as the provider stores it. */
  items: ConversationItem[];
  /** Milliseconds of sound for each letter; 0: answers have no sound. */
  letterMs: number;
  /** An answer of the conversation stops after this many letters, until it is cancelled. */
  holdsAfter: number;
  /** True to use the names of the API's first version. */
  older: boolean;
  /** True when sound is heard but not transcribed. */
  deaf: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: events of every shape are read
type ClientEvent = any;

interface ConversationItem {
  readonly id: string;
  readonly type: string;
  readonly role?: string;
  readonly text: string;
  readonly call_id?: string;
}

type Saying = { readonly text: string };
type Calling = { readonly call: string; readonly given: object };

interface Parts {
  readonly answers: (Saying | Calling)[];
  readonly heard: string[];
  readonly mode: 'well' | 'refusing' | 'breaking';
  readonly realtime: RealtimeProvider;
}

interface Response {
  readonly id: string;
  /** The number of letters that its tokens allow. */
  readonly most: number;
  readonly aside: boolean;
  readonly metadata: unknown;
}

/** 16-bit samples, 24 000 a second, in both directions. */
const BYTES_PER_MS = 48;
const LEAST_BYTES = 100 * BYTES_PER_MS;
/** Letters in a token of text; as sound they take seven tokens. */
const LETTERS = 4;
const SPOKEN_TOKENS = 7;
const VOICES = ['alloy', 'ash', 'ballad', 'coral', 'echo', 'sage', 'shimmer', 'verse', 'marin', 'cedar'];
const OLDER: Readonly<Record<string, string>> = {
  'response.output_audio.delta': 'response.audio.delta',
  'response.output_audio.done': 'response.audio.done',
  'response.output_audio_transcript.delta': 'response.audio_transcript.delta',
  'response.output_audio_transcript.done': 'response.audio_transcript.done',
};

export const newRealtimeProvider = (): RealtimeProvider => ({
  events: [],
  items: [],
  letterMs: 60,
  holdsAfter: Number.POSITIVE_INFINITY,
  older: false,
  deaf: false,
});

/** Serves OpenAI's Realtime API on a socket: one session, its conversation, and scripted answers. */
export function serveRealtime(socket: WebSocket, parts: Parts): void {
  new Session(socket, parts).begin();
}

class Session {
  readonly #socket: WebSocket;
  readonly #parts: Parts;
  readonly #items: ConversationItem[] = [];
  #last = 0;
  #bytes = 0;
  #spoke = false;
  #voice = 'alloy';
  #modality = 'audio';
  #active: Response | undefined;
  /** Samples made so far: the sound rises from answer to answer, so that its order is visible. */
  #level = 0;

  constructor(socket: WebSocket, parts: Parts) {
    this.#socket = socket;
    this.#parts = parts;
  }

  begin(): void {
    this.#parts.realtime.items = this.#items;
    this.#socket.on('message', (data) => this.#take(JSON.parse(String(data))));
    this.#send('session.created', { session: { type: 'realtime', voice: this.#voice } });
    // An event unknown to clients, and a message that is not an event.
    this.#send('conversation.mood.changed', { mood: 'good' });
    this.#socket.send('{"type":"response.done"}');
    this.#socket.send('{');
  }

  #send(type: string, more: object): void {
    const name = this.#parts.realtime.older ? (OLDER[type] ?? type) : type;
    this.#socket.send(JSON.stringify({ event_id: this.#id('event'), type: name, ...more }));
  }

  #id(kind: string): string {
    return `${kind}_${++this.#last}`;
  }

  #refuse(event: ClientEvent, code: string) {
    const error = { type: 'invalid_request_error', code, message: `No: ${code}`, event_id: event.event_id };
    this.#send('error', { error: { ...error, event_id: event.event_id ?? null } });
  }

  #take(event: ClientEvent): void {
    const { audio, ...shown } = event;
    if (event.type !== 'input_audio_buffer.append') this.#parts.realtime.events.push(shown);
    const handlers: Record<string, (event: ClientEvent) => void> = {
      'session.update': (one) => this.#update(one),
      'input_audio_buffer.append': () => {
        this.#bytes += Buffer.from(audio, 'base64').length;
      },
      'input_audio_buffer.clear': () => {
        this.#bytes = 0;
        this.#send('input_audio_buffer.cleared', {});
      },
      'input_audio_buffer.commit': (one) => this.#commit(one),
      'conversation.item.create': (one) => this.#create(one),
      'conversation.item.delete': (one) => this.#delete(one),
      'response.create': (one) => this.#respond(one),
      'response.cancel': (one) => this.#cancel(one),
    };
    const handle = handlers[event.type];
    if (handle === undefined) this.#refuse(event, 'unknown_event');
    else handle(event);
  }

  #update(event: ClientEvent) {
    const { type, audio } = event.session;
    const voice = audio?.output?.voice;
    const rates = [audio?.input?.format, audio?.output?.format].filter((one) => one !== undefined);
    if (type !== 'realtime') return this.#refuse(event, 'invalid_type');
    if (rates.some((one) => one.type !== 'audio/pcm' || one.rate !== 24_000))
      return this.#refuse(event, 'invalid_format');
    if (voice !== undefined && !VOICES.includes(voice)) return this.#refuse(event, 'invalid_value');
    if (voice !== undefined && this.#spoke) return this.#refuse(event, 'cannot_update_voice');
    this.#voice = voice ?? this.#voice;
    this.#send('session.updated', { session: event.session });
  }

  #commit(event: ClientEvent) {
    const { heard, realtime } = this.#parts;
    if (this.#bytes < LEAST_BYTES) return this.#refuse(event, 'input_audio_buffer_commit_empty');
    this.#bytes = 0;
    const item = { id: this.#id('item'), type: 'message', role: 'user', text: heard.shift() ?? '' };
    this.#send('input_audio_buffer.committed', { item_id: item.id, previous_item_id: null });
    this.#add(item);
    if (realtime.deaf) {
      const error = { type: 'server_error', code: 'audio_unintelligible', message: 'No.' };
      this.#send('conversation.item.input_audio_transcription.failed', {
        ...{ item_id: item.id, content_index: 0, error },
      });
      return;
    }
    this.#send('conversation.item.input_audio_transcription.completed', {
      ...{ item_id: item.id, content_index: 0, transcript: item.text },
    });
  }

  #add(item: ConversationItem, at = this.#items.length): void {
    this.#items.splice(at, 0, item);
    const shown = { id: item.id, type: item.type, role: item.role, status: 'completed', content: [] };
    this.#send('conversation.item.added', { item: shown, previous_item_id: this.#items[at - 1]?.id ?? null });
    this.#send('conversation.item.done', { item: shown, previous_item_id: this.#items[at - 1]?.id ?? null });
  }

  #create(event: ClientEvent) {
    const { item, previous_item_id: place } = event;
    const at = this.#items.findIndex(({ id }) => id === place);
    if (place !== undefined && place !== 'root' && at < 0) return this.#refuse(event, 'item_not_found');
    if (item.id !== undefined && item.id.length > 32) return this.#refuse(event, 'invalid_id');
    const [content] = item.content ?? [];
    const wanted = item.role === 'assistant' ? 'output_text' : 'input_text';
    if (item.type === 'message' && content?.type !== wanted) return this.#refuse(event, 'invalid_content');
    if (
      item.type === 'function_call_output' &&
      !this.#items.some((one) => one.type === 'function_call' && one.call_id === item.call_id)
    )
      return this.#refuse(event, 'unknown_call');
    const { id = this.#id('item'), type, role, call_id } = item;
    const text = content?.text ?? item.output ?? '';
    this.#add({ id, type, role, call_id, text }, place === undefined ? undefined : at + 1);
  }

  #delete(event: ClientEvent) {
    const at = this.#items.findIndex(({ id }) => id === event.item_id);
    if (at < 0) return this.#refuse(event, 'item_delete_invalid_item_id');
    this.#items.splice(at, 1);
    this.#send('conversation.item.deleted', { item_id: event.item_id });
  }

  #respond(event: ClientEvent) {
    const { conversation, metadata = null, output_modalities, instructions = '' } = event.response ?? {};
    const aside = conversation === 'none';
    if (!aside && this.#active !== undefined)
      return this.#refuse(event, 'conversation_already_has_active_response');
    if (this.#parts.mode === 'refusing') return this.#refuse(event, 'insufficient_quota');
    this.#modality = output_modalities?.[0] ?? 'audio';
    const tokens = event.response?.max_output_tokens ?? Number.POSITIVE_INFINITY;
    const most = Math.floor((tokens * LETTERS) / (this.#modality === 'audio' ? SPOKEN_TOKENS : 1));
    const response: Response = { id: this.#id('resp'), most, aside, metadata };
    if (!aside) this.#active = response;
    this.#send('response.created', { response: { id: response.id, status: 'in_progress', metadata } });
    this.#send('rate_limits.updated', { rate_limits: [] });
    if (aside) {
      // The text between the lines.
      const text = /---\n([\s\S]*)\n---/.exec(instructions)?.[1] ?? '';
      return this.#say(response, text);
    }
    const said = this.#parts.answers.shift() ?? { text: 'I have nothing to say.' };
    if ('text' in said) this.#say(response, said.text);
    else this.#call(response, said);
  }

  #call(response: Response, { call: name, given }: Calling) {
    const item = { id: this.#id('item'), type: 'function_call', name, call_id: this.#id('call') };
    const text = JSON.stringify(given);
    const of = { response_id: response.id, output_index: 0 };
    this.#send('response.output_item.added', { ...of, item: { ...item, arguments: '' } });
    const done = { ...of, item_id: item.id, call_id: item.call_id };
    for (const delta of text.match(/.{1,9}/gs) ?? [])
      this.#send('response.function_call_arguments.delta', { ...done, delta });
    this.#send('response.function_call_arguments.done', { ...done, name, arguments: text });
    this.#items.push({ ...item, text });
    this.#send('response.output_item.done', { ...of, item: { ...item, arguments: text } });
    this.#done(response, 'completed');
  }

  /** The words come a little before the sound, as with the provider. */
  #say(response: Response, whole: string) {
    const text = whole.slice(0, response.most);
    const { holdsAfter, letterMs } = this.#parts.realtime;
    const item = { id: this.#id('item'), type: 'message', role: 'assistant', text };
    const of = { response_id: response.id, item_id: item.id, output_index: 0, content_index: 0 };
    this.#send('response.output_item.added', {
      ...of,
      item: { ...item, status: 'in_progress', content: [] },
    });
    if (!response.aside) this.#items.push(item);
    const spoken = this.#modality === 'audio';
    const words = spoken ? 'response.output_audio_transcript' : 'response.output_text';
    let letters = 0;
    for (const delta of text.match(/.{1,5}/gs) ?? []) {
      this.#send(`${words}.delta`, { ...of, delta });
      if (spoken) this.#sound(of, delta.length * letterMs);
      letters += delta.length;
      if (response.aside) continue;
      if (this.#parts.mode === 'breaking' && letters > 15) return this.#socket.close(1011);
      if (letters >= holdsAfter) return;
    }
    if (spoken) this.#send('response.output_audio.done', of);
    this.#send(`${words}.done`, { ...of, transcript: text, text });
    const status = text === whole ? 'completed' : 'incomplete';
    this.#send('response.output_item.done', { ...of, item: { ...item, status, content: [] } });
    this.#done(response, status);
  }

  #sound(of: object, ms: number): void {
    if (ms === 0) return;
    this.#spoke = true;
    const bytes = Buffer.alloc(ms * BYTES_PER_MS);
    for (let at = 0; at < bytes.length; at += 2)
      bytes.writeInt16LE(Math.min(30_000, 1000 + Math.floor(this.#level++ / 20)), at);
    this.#send('response.output_audio.delta', { ...of, delta: bytes.toString('base64') });
  }

  #done({ id, aside, metadata }: Response, status: string): void {
    if (!aside) this.#active = undefined;
    const usage = { total_tokens: 18, input_tokens: 11, output_tokens: 7 };
    const details = status === 'incomplete' ? { type: status, reason: 'max_output_tokens' } : null;
    this.#send('response.done', {
      response: { id, status, status_details: details, metadata, output: [], usage },
    });
  }

  #cancel(event: ClientEvent) {
    const active = this.#active;
    if (active === undefined || (event.response_id ?? active.id) !== active.id)
      return this.#refuse(event, 'response_cancel_not_active');
    this.#done(active, 'cancelled');
  }
}
