import type { CallEvents } from './call-events.ts';
import type { Participant } from './transport.ts';

type Change = {
  [Name in
    | 'participant-joined'
    | 'participant-updated'
    | 'participant-left'
    | 'track-started'
    | 'track-stopped']: {
    readonly name: Name;
    readonly event: CallEvents[Name];
  };
}['participant-joined' | 'participant-updated' | 'participant-left' | 'track-started' | 'track-stopped'];

/**
 * The participants of the call, and which of their tracks play. Returns the events that go with each change.
 */
export class Roster {
  readonly #people = new Map<string, Participant>();

  /** All participants by session id; the key of the local one is `local`, as on the wire. */
  all(): Readonly<Record<string, Participant>> {
    const entries = [...this.#people.values()].map((one) => [one.local ? 'local' : one.session_id, one]);
    return Object.fromEntries(entries);
  }

  /** Whether the local microphone is on; false while there is no local participant. */
  localAudio(): boolean {
    return [...this.#people.values()].some(({ local, audio }) => local && audio);
  }

  /** Adds or replaces a participant. */
  put(participant: Participant): Change[] {
    const before = this.#people.get(participant.session_id);
    this.#people.set(participant.session_id, participant);
    const name = before === undefined ? 'participant-joined' : 'participant-updated';
    return [{ name, event: { participant } }, ...trackChanges(before, participant)];
  }

  /** Removes a participant; no events for an unknown session. */
  remove(sessionId: string): Change[] {
    const participant = this.#people.get(sessionId);
    if (participant === undefined) return [];
    this.#people.delete(sessionId);
    const stopped = playing(participant).map(
      ([type, track]): Change => ({ name: 'track-stopped', event: { participant: null, track, type } }),
    );
    return [...stopped, { name: 'participant-left', event: { participant } }];
  }

  clear(): void {
    this.#people.clear();
  }
}

/** A participant's tracks that can be heard or seen now, by type. */
function playing(participant: Participant | undefined): [type: string, track: MediaStreamTrack][] {
  return Object.entries(participant?.tracks ?? {}).flatMap(([type, { state, persistentTrack }]) =>
    state === 'playable' && persistentTrack !== undefined ? [[type, persistentTrack]] : [],
  );
}

function trackChanges(before: Participant | undefined, after: Participant): Change[] {
  const was = new Map(playing(before));
  const is = new Map(playing(after));
  const stopped = [...was].filter(([type, track]) => is.get(type) !== track);
  const started = [...is].filter(([type, track]) => was.get(type) !== track);
  return [
    ...stopped.map(
      ([type, track]): Change => ({ name: 'track-stopped', event: { participant: after, track, type } }),
    ),
    ...started.map(
      ([type, track]): Change => ({ name: 'track-started', event: { participant: after, track, type } }),
    ),
  ];
}
