import { NotSupportedError } from '../not-supported.ts';
import { isRecord, member } from '../rules/rule.ts';
import type { Notice } from '../transport.ts';
import type { Handler } from './link.ts';
import type { RoomClient } from './room-client.ts';
import type { RoomLink } from './room-link.ts';

type Settings = Readonly<Record<string, unknown>>;

/** Options of other recognisers; the room's own recogniser has only a language. */
const RECOGNISER_OPTIONS = [
  ...['model', 'tier', 'profanity_filter', 'redact', 'endpointing', 'punctuate', 'extra'],
  ...['includeRawResponse', 'participants', 'instanceId'],
] as const;

/** Returns the room that the client is in. @throws NotSupportedError in a call with one assistant */
type InRoom = (action: string) => { link: RoomLink; client: RoomClient };

/** The actions that exist only in rooms for several people. */
export function roomHandlers(
  inRoom: InRoom,
  notice: (notice: Notice) => void,
): Readonly<Record<string, Handler>> {
  const admit = async (action: string, updates: Settings): Promise<string[]> => {
    const { link } = inRoom(action);
    const known = link.waiting();
    const named = Object.hasOwn(updates, '*')
      ? Object.fromEntries(known.map((id) => [id, updates['*']]))
      : updates;
    for (const [id, update] of Object.entries(named))
      await link.admit(id, member(update, 'grantRequestedAccess') === true);
    return Object.keys(named);
  };
  return {
    'daily-method-request-access': async ({ action, name }) => inRoom(action).link.requestAccess(name),
    'daily-method-update-waiting-participant': async ({ action, id, updates }) => {
      await admit(action, { [String(id)]: updates });
      return { id };
    },
    'daily-method-update-waiting-participants': async ({ action, updatesById }) => ({
      ids: await admit(action, isRecord(updatesById) ? updatesById : {}),
    }),
    'daily-method-subscribe-to-tracks-automatically': async ({ action, enabled }) => {
      await inRoom(action).link.subscribeAutomatically(enabled === true);
      return {};
    },
    'update-receive-settings': async ({ action, receiveSettings }) => {
      const { link } = inRoom(action);
      const { '*': all, ...named } = isRecord(receiveSettings) ? receiveSettings : {};
      const everybody = all === undefined ? [] : link.others().map(({ session_id }) => [session_id, all]);
      const given = { ...Object.fromEntries(everybody), ...named };
      await link.receive(layersOf(given));
      const kept = Object.entries({ ...link.received, ...given }).filter(([, value]) => value !== 'inherit');
      link.received = Object.fromEntries(kept);
      notice({ action: 'receive-settings-updated', receiveSettings: link.received });
      return { receiveSettings: link.received };
    },
    'get-single-participant-receive-settings': async ({ action, id, showInheritedValues }) => {
      const { received } = inRoom(action).link;
      const own = received[String(id)];
      const base = isRecord(received.base) ? received.base : {};
      const inherited = showInheritedValues === true ? { ...base, ...(isRecord(own) ? own : {}) } : own;
      return { receiveSettings: inherited ?? {} };
    },
    'update-send-settings': async ({ action, sendSettings }) => {
      const given = isRecord(sendSettings) ? sendSettings : {};
      const { link } = inRoom(action);
      await link.sendSettings(given);
      link.sent = { ...link.sent, ...given };
      notice({ action: 'send-settings-updated', sendSettings: link.sent });
      return { sendSettings: link.sent };
    },
    'set-session-data': async ({ action, data, mergeStrategy }) => {
      await inRoom(action).link.ask({ action: 'set-session-data', data, mergeStrategy });
      return {};
    },
    ...ownersHandlers(inRoom),
    'get-meeting-session': async ({ action }) => ({ meetingSession: inRoom(action).link.session }),
    'get-network-topology': async ({ action }) => {
      inRoom(action);
      // Everything goes through the room's own server.
      return { topology: 'sfu' };
    },
    'lib-room-info': async ({ action }) => ({ ...inRoom(action).client.info }),
  };
}

/** Actions for the owners of a room: its transcript and its telephones. */
function ownersHandlers(inRoom: InRoom): Readonly<Record<string, Handler>> {
  return {
    'daily-method-start-transcription': async ({ action, language, ...given }) => {
      const { link } = inRoom(action);
      const unbuilt = RECOGNISER_OPTIONS.find((name) => given[name] !== undefined);
      if (unbuilt !== undefined) throw new NotSupportedError(`${action} ${unbuilt}`);
      await link.ask({ action: 'start-transcription', language });
      return {};
    },
    'daily-method-update-recording': async ({ action, layout, instanceId }) => {
      await inRoom(action).link.ask({ action: 'update-recording', options: { layout, instanceId } });
      return {};
    },
    'daily-method-stop-transcription': async ({ action }) => {
      await inRoom(action).link.ask({ action: 'stop-transcription' });
      return {};
    },
    'daily-method-start-remote-media-player': async ({ action, url, settings }) =>
      inRoom(action).link.ask({ action: 'play-media', url, settings: playerSettings(action, settings) }),
    'daily-method-update-remote-media-player': async ({ action, session_id: of, settings }) =>
      inRoom(action).link.ask({ action: 'update-player', of, settings: playerSettings(action, settings) }),
    'daily-method-stop-remote-media-player': async ({ action, session_id: of }) => {
      await inRoom(action).link.ask({ action: 'stop-player', of });
      return {};
    },
    'dialout-start': async ({ action, phoneNumber, sipUri, displayName, callerId, ...given }) => {
      const { link } = inRoom(action);
      const unbuilt = given.video === true ? 'video' : given.codecs === undefined ? undefined : 'codecs';
      if (unbuilt !== undefined) throw new NotSupportedError(`${action} ${unbuilt}`);
      const asked = { action: 'dial-out', phoneNumber, sipUri, displayName, callerId };
      const { sessionId } = await link.ask(asked);
      return { session: { sessionId } };
    },
    'dialout-stop': async ({ action, sessionId }) => {
      await inRoom(action).link.ask({ action: 'stop-dial-out', of: sessionId });
      return {};
    },
    'send-dtmf': async ({ action, sessionId, tones }) => {
      await inRoom(action).link.ask({ action: 'send-tones', of: sessionId, tones });
      return {};
    },
  };
}

/**
 * Starts or ends the recording of a meeting; the room refuses the options that it cannot fulfil.
 *
 * @throws Error with the room's sentence, NotSupportedError for one of several recordings
 */
export async function askToRecord(link: RoomLink, { action, ...options }: Notice): Promise<void> {
  if (action === 'local-recording-start') await link.ask({ action: 'start-recording', options });
  else if (options.instanceId !== undefined) throw new NotSupportedError(`${action} instanceId`);
  else await link.ask({ action: 'stop-recording' });
}

/** @throws NotSupportedError for settings about pictures: a room's player has only sound */
function playerSettings(action: string, given: unknown): Settings {
  const { simulcastEncodings, ...settings } = isRecord(given) ? given : {};
  if (simulcastEncodings !== undefined) throw new NotSupportedError(`${action} simulcastEncodings`);
  return settings;
}

/** The requested sizes in the room's form; `inherit` removes a setting. */
function layersOf(settings: Settings): Settings {
  return Object.fromEntries(
    Object.entries(settings).map(([id, given]) => {
      const layerOf = (kind: 'video' | 'screenVideo'): unknown => {
        const layer = member(member(given, kind), 'layer');
        return Number.isInteger(layer) ? Math.min(2, Number(layer)) : null;
      };
      const kinds = (['video', 'screenVideo'] as const).filter(
        (kind) => given === 'inherit' || member(given, kind) !== undefined,
      );
      return [id, Object.fromEntries(kinds.map((kind) => [kind, layerOf(kind)]))];
    }),
  );
}
