import type { WebsiteAnswer } from '../records/website.contract.ts';
import {
  begin,
  deleteWords,
  describe,
  leaveMessage,
  type SiteAssistant,
  type Talk,
  type TalkListener,
  write,
} from './site-assistant.web.ts';
import { button, field, form, make } from './widget-parts.web.ts';
import { widgetStyle } from './widget-style.web.ts';
import { ENGLISH, type WidgetWords } from './widget-words.web.ts';
import { GERMAN } from './widget-words-german.web.ts';

/** What stands in the element when it opens. */
export interface ElementParts {
  readonly assistant: SiteAssistant;
  readonly about: WebsiteAnswer;
  readonly language: string;
}

/** Loads what a spoken call needs. */
type SpokenModule = typeof import('./spoken-call.web.ts');

/** The assistant on a page of another site: a button, and a panel in a shadow root that the page's styles do not reach. */
export class AssistantElement extends HTMLElement {
  #words: WidgetWords = ENGLISH;
  #parts: ElementParts | undefined;
  #talk: Talk | undefined;
  #room = '';
  readonly #launch = button('', () => this.#open(), 'launch');
  readonly #panel = make('section', {
    class: 'panel',
    role: 'dialog',
    // Its own words run from left to right, whatever the page does; what is said finds its own direction.
    dir: 'ltr',
    'aria-labelledby': 'title',
    hidden: true,
  });
  readonly #body = make('div', { class: 'body' });
  readonly #status = make('p', { class: 'soft', role: 'status' });
  #log = make('ol');
  /** What is said, as a log that screen readers follow. */
  #lines = make('div');

  /** Shows the button. */
  begin(parts: ElementParts): void {
    this.#parts = parts;
    const isGerman = /^de\b/i.test(parts.language);
    this.#words = isGerman ? GERMAN : ENGLISH;
    this.lang = isGerman ? 'de' : 'en';
    this.setAttribute('role', 'region');
    this.setAttribute('aria-label', this.#words.machine);
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [widgetStyle(parts.about.colours)];
    const close = button(this.#words.close, () => this.#close());
    const title = make('h2', { id: 'title' }, parts.about.name, make('small', {}, this.#words.machine));
    this.#panel.append(make('header', {}, title, close), this.#body, this.#status);
    this.#panel.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.#close();
    });
    this.#launch.append(this.#words.open);
    this.#launch.setAttribute('aria-expanded', 'false');
    root.append(this.#launch, this.#panel);
    if (parts.about.open) this.#showStart();
    else this.#showClosed();
  }

  get #at(): ElementParts {
    if (this.#parts === undefined) throw new Error('not begun');
    return this.#parts;
  }

  #open(): void {
    this.#panel.hidden = false;
    this.#launch.hidden = true;
    this.#launch.setAttribute('aria-expanded', 'true');
    this.#focus();
  }

  /** Closes the panel; a conversation goes on behind the button. */
  #close(): void {
    this.#panel.hidden = true;
    this.#launch.hidden = false;
    this.#launch.setAttribute('aria-expanded', 'false');
    this.#launch.focus();
  }

  #focus(): void {
    if (!this.#panel.hidden) this.#body.querySelector<HTMLElement>('button, input, textarea')?.focus();
  }

  #show(...children: readonly Node[]): void {
    this.#body.replaceChildren(...children);
    this.#tell('');
    this.#focus();
  }

  #tell(text: string): void {
    this.#status.textContent = text;
  }

  #showStart(): void {
    const { notice, write: writing, talk, leave } = this.#words;
    const speak = this.#at.about.hears ? [button(talk, () => this.#showConsent())] : [];
    this.#show(
      make('p', { class: 'soft' }, notice),
      make(
        'div',
        { class: 'acts' },
        button(writing, () => void this.#write(), 'main'),
        ...speak,
      ),
      make(
        'div',
        { class: 'acts' },
        button(leave, () => this.#showMessage()),
      ),
    );
  }

  #showClosed(): void {
    const { hours } = this.#at.about;
    const said =
      hours === null ? '' : `${this.#words.hours}: ${daysIn(hours.open, this.lang)} (${hours.timeZone})`;
    const open = hours === null ? [] : [make('p', { class: 'soft' }, said)];
    this.#show(make('p', {}, this.#words.closed), ...open, this.#messageForm());
  }

  /** What is done with a caller's sound, before the browser asks for the microphone. */
  #showConsent(): void {
    const { microphone, asksToRecord, notRecorded, allow, back } = this.#words;
    this.#show(
      make('p', {}, microphone),
      make('p', {}, this.#at.about.asksToRecord ? asksToRecord : notRecorded),
      make(
        'div',
        { class: 'acts' },
        button(allow, () => void this.#speak(), 'main'),
        button(back, () => this.#showStart()),
      ),
    );
  }

  #showMessage(): void {
    this.#show(
      this.#messageForm(),
      make(
        'div',
        { class: 'acts' },
        button(this.#words.back, () => this.#showStart()),
      ),
    );
  }

  #messageForm(): HTMLFormElement {
    const { name, email, message, send, sending, sent, failed } = this.#words;
    const trap = make('input', {
      name: 'nickname',
      tabindex: '-1',
      autocomplete: 'off',
      'aria-hidden': 'true',
    });
    const act = make('button', { type: 'submit', class: 'main' }, send);
    return form(
      [
        field(name, 'name', 'text', 120),
        field(email, 'email', 'email', 254),
        field(message, 'message', 'long', 4000),
        make('div', { class: 'trap', 'aria-hidden': 'true' }, trap),
        act,
      ],
      async (fields, element) => {
        act.disabled = true;
        this.#tell(sending);
        try {
          await leaveMessage(this.#at.assistant, fields);
          element.reset();
          this.#tell(sent);
        } catch (error) {
          this.#refused(error, failed);
        }
        act.disabled = false;
      },
    );
  }

  async #write(): Promise<void> {
    await this.#begin(true, (listener) => write(this.#room, listener));
  }

  async #speak(): Promise<void> {
    let track: MediaStreamTrack | undefined;
    try {
      const audio = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };
      [track] = (await navigator.mediaDevices.getUserMedia({ audio })).getAudioTracks();
    } catch {
      // No microphone, or none for this page.
    }
    if (track === undefined) {
      this.#showStart();
      this.#tell(this.#words.noMicrophone);
      return;
    }
    const microphone = track;
    const { server } = this.#at.assistant;
    await this.#begin(false, async (listener) => {
      const spoken = (await import(/* @vite-ignore */ `${server}/voice/on-site-call.js`)) as SpokenModule;
      return spoken.talk(server, this.#room, microphone, listener);
    });
    if (this.#talk === undefined) microphone.stop();
  }

  async #begin(written: boolean, open: (listener: TalkListener) => Talk | Promise<Talk>): Promise<void> {
    this.#log = make('ol');
    this.#lines = make(
      'div',
      { class: 'lines', role: 'log', 'aria-label': this.#words.log, tabindex: '0' },
      this.#log,
    );
    this.#show(this.#lines);
    this.#tell(this.#words.connecting);
    try {
      this.#room = await begin(this.#at.assistant, written);
      this.#talk = await open({
        began: () => this.#showTalk(),
        said: (role, text) => this.#said(role, text),
        over: (fault) => this.#over(fault),
      });
    } catch (error) {
      this.#showStart();
      this.#refused(error, this.#words.failed);
    }
  }

  #showTalk(): void {
    const { yourWords, send, end } = this.#words;
    const box = make('input', {
      id: 'words',
      name: 'words',
      autocomplete: 'off',
      maxlength: '500',
      dir: 'auto',
    });
    const typing = form(
      [
        make('label', { for: 'words' }, yourWords),
        box,
        make('button', { type: 'submit', class: 'main' }, send),
      ],
      ({ words = '' }, element) => {
        if (words.trim() === '') return;
        this.#talk?.type(words.trim());
        this.#tell(this.#words.answering);
        element.reset();
      },
    );
    const ending = button(end, () => this.#talk?.end());
    const muting = this.#talk?.mute === undefined ? [] : [this.#muteButton()];
    this.#body.replaceChildren(this.#lines, typing, make('div', { class: 'acts' }, ...muting, ending));
    this.#tell('');
    if (!this.#panel.hidden) box.focus();
  }

  #muteButton(): HTMLButtonElement {
    let muted = false;
    const element = button(this.#words.mute, () => {
      muted = !muted;
      this.#talk?.mute?.(muted);
      element.textContent = muted ? this.#words.unmute : this.#words.mute;
    });
    return element;
  }

  /** Sentences of one answer stand in one line. */
  #said(role: 'user' | 'assistant', text: string): void {
    const last = this.#log.lastElementChild as HTMLElement | null;
    if (role === 'assistant') this.#tell('');
    if (role === 'assistant' && last?.dataset.role === role) last.append(` ${text}`);
    else {
      const who = role === 'user' ? this.#words.you : this.#words.machine;
      this.#log.append(make('li', { 'data-role': role, dir: 'auto' }, make('b', {}, who), text));
    }
    this.#lines.scrollTop = this.#lines.scrollHeight;
  }

  #over(fault: string | undefined): void {
    this.#talk = undefined;
    const { over, again, remove, leave, lost } = this.#words;
    const room = this.#room;
    const acts = [
      button(again, () => this.#showStart(), 'main'),
      button(leave, () => this.#showMessage()),
      button(remove, () => void this.#delete(room)),
    ];
    this.#show(this.#lines, make('div', { class: 'acts' }, ...acts));
    this.#tell(fault === undefined ? over : fault || lost);
  }

  async #delete(room: string): Promise<void> {
    const done = await deleteWords(room);
    if (done) this.#log.replaceChildren();
    this.#tell(done ? this.#words.removed : this.#words.notRemoved);
  }

  /** The server's own words are English; they are shown where the page is, and where there are any. */
  #refused(error: unknown, otherwise: string): void {
    const told =
      this.lang === 'en' && error instanceof Error && error.name !== 'TypeError' ? error.message : '';
    this.#tell(told || otherwise);
  }
}

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
/** A Sunday. */
const SUNDAY = Date.UTC(2023, 0, 1);
const DAY_MS = 86_400_000;

/** Hours such as `mon-fri 9:00-17:00` with the names of days in a language. */
function daysIn(hours: string, language: string): string {
  const names = new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' });
  const known = new RegExp(DAYS.join('|'), 'gi');
  return hours.replace(known, (day) => names.format(SUNDAY + DAYS.indexOf(day.toLowerCase()) * DAY_MS));
}

/** Describes the assistant of a script's own element and shows it. Throws nothing: the page must not notice a fault. */
export async function show(script: HTMLScriptElement): Promise<void> {
  const { assistant: id = '', lang, scheme } = script.dataset;
  const server = new URL(script.src).origin;
  const assistant = { server, url: `${server}/voice/v1/website/${encodeURIComponent(id)}` };
  try {
    const about = await describe(assistant);
    const element = new AssistantElement();
    if (scheme !== undefined) element.dataset.scheme = scheme;
    element.begin({
      assistant,
      about,
      language: lang || document.documentElement.lang || navigator.language,
    });
    document.body.append(element);
  } catch (error) {
    console.warn(`The assistant is not shown: ${(error as Error).message}`);
  }
}
