import { isRecord } from '../rules/rule.ts';
import { CUSTOM_KINDS, type CustomKind, type SendTrack, trackKind } from './track-kinds.ts';

/** The bit rates of the modes for a custom sound, bits a second. */
const MODES = { music: 128_000, speech: 32_000 } as const;

interface NamedTrack {
  readonly kind: CustomKind;
  readonly track: MediaStreamTrack;
}

/** The input of `startCustomTrack`, checked by its rules (`rules/custom-track.ts`). */
type Given = Readonly<Record<string, unknown>>;

/** The tracks that a page sends under names of its own. They belong to the page, and are not stopped here. */
export class CustomTracks {
  readonly #send: SendTrack;
  readonly #changed: () => Promise<void>;
  readonly #tracks = new Map<string, NamedTrack>();

  /** @param changed tells the room which tracks there are; rejects where the room refuses them */
  constructor(send: SendTrack, changed: () => Promise<void>) {
    this.#send = send;
    this.#changed = changed;
  }

  /** The custom tracks by name. */
  get all(): ReadonlyMap<string, NamedTrack> {
    return this.#tracks;
  }

  /** The names by place, in the form that the room is sent. */
  names(): Readonly<Partial<Record<CustomKind, string>>> {
    return Object.fromEntries([...this.#tracks].map(([name, { kind }]) => [kind, name]));
  }

  /** Sends a track until it ends, and resolves with its name. @throws Error with a sentence where it cannot be sent */
  async start({ track, mode, trackName }: Given): Promise<string> {
    if (!(track instanceof MediaStreamTrack)) throw new Error('There is no track to send.');
    const name = typeof trackName === 'string' && trackName !== '' ? trackName : crypto.randomUUID();
    if (this.#tracks.has(name)) throw new Error('There is a custom track of this name already.');
    const most = bitrateOf(mode, track.kind);
    const taken = [...this.#tracks.values()].map(({ kind }) => kind);
    const kind = CUSTOM_KINDS.find((one) => trackKind(one) === track.kind && !taken.includes(one));
    if (kind === undefined)
      throw new Error(`Two custom tracks of ${track.kind} are sent already; there can be no more.`);
    this.#tracks.set(name, { kind, track });
    try {
      await this.#send(kind, track, most);
      await this.#changed();
    } catch (error) {
      this.#tracks.delete(name);
      await this.#send(kind, null);
      throw error;
    }
    track.addEventListener('ended', () => {
      if (this.#tracks.get(name)?.track === track)
        this.stop(name).catch((error: unknown) => console.warn('A custom track did not end well:', error));
    });
    return name;
  }

  /** @throws Error where no track has that name */
  async stop(name: unknown): Promise<void> {
    const named = this.#tracks.get(String(name));
    if (named === undefined) throw new Error('There is no custom track of this name.');
    this.#tracks.delete(String(name));
    await this.#send(named.kind, null);
    await this.#changed();
  }

  /** The call is over: no track is sent any more. */
  clear(): void {
    this.#tracks.clear();
  }
}

/** @throws Error for a mode that is not supported */
function bitrateOf(mode: unknown, kind: string): number | undefined {
  if (mode === undefined || mode === null) return undefined;
  if (kind !== 'audio') throw new Error('A mode is for custom tracks of sound only.');
  if (mode === 'music' || mode === 'speech') return MODES[mode];
  const { bitrate, stereo } = isRecord(mode) ? mode : {};
  if (stereo === true) throw new Error('Custom tracks are sent in mono; stereo is not supported.');
  return typeof bitrate === 'number' ? bitrate : undefined;
}
