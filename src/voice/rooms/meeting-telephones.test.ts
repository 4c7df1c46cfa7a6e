import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { joined } from '../../../packages/telephone-audio/src/sounds.fixture.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import {
  ask,
  createRoom,
  enterRoom,
  refusalOf,
  tokenFor,
  type Visit,
} from '../../../tests/support/voice/meeting-visit.ts';
import type { RoomPeer } from '../../../tests/support/voice/room-peer.ts';
import { simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import { openTelephone, type Telephone } from '../../../tests/support/voice/sip-telephone.ts';
import { type CallRecord, voiceApi } from '../../../tests/support/voice/voice-calls.ts';
import { shareOfTone, tone, until } from '../../../tests/support/voice/voice-peer.ts';

let app: TestApp;
let telephone: Telephone;
const visits: Visit<RoomPeer>[] = [];
beforeAll(async () => {
  telephone = await openTelephone();
  app = await startTestApp({
    voiceEngines: simpleEngines(),
    settings: { SIP_LISTEN: 'udp://127.0.0.1:0', VOICE_ROOM_PEOPLE: '40' },
  });
});
beforeEach(() => {
  telephone.pickUp = 'answer';
});
afterEach(async () => {
  await Promise.all(visits.splice(0).map(({ peer }) => peer.close()));
});
afterAll(async () => {
  await telephone?.close();
  await app?.close();
});

const told = ({ peer }: Visit<RoomPeer>, name: string): CallRecord[] =>
  peer.notices.filter(({ action }) => action === name);

/** An owner and a guest of a room. */
async function meet(properties: object = { enable_dialout: true }): Promise<Visit<RoomPeer>[]> {
  const room = await createRoom(app, properties);
  const token = await tokenFor(app, room.name, { is_owner: true });
  const both = [await enterRoom(app, room.url, { token }), await enterRoom(app, room.url)];
  visits.push(...both);
  return both;
}
const bob = () => ({ action: 'dial-out', sipUri: `sip:bob@127.0.0.1:${telephone.port}` });

test('an owner calls a telephone: everybody hears it and it hears everybody, keys are pressed, and it is hung up', async () => {
  const [ann, carl] = (await meet()) as [Visit<RoomPeer>, Visit<RoomPeer>];
  const { sessionId } = await ask(ann, { ...bob(), displayName: 'Bob' });
  await until('it has answered', () => told(carl, 'dialout-connected').length > 0);
  const come = told(carl, 'participant-joined').find(
    ({ participant }) => participant.session_id === sessionId,
  );
  expect(come?.participant).toMatchObject({
    user_name: 'Bob',
    owner: false,
    tracks: { video: { state: 'off' } },
  });
  const call = telephone.calls.at(-1);
  if (call === undefined) throw new Error('nobody was called');
  call.leg.session.writePcm(tone(700, 1));
  const { slot } = come?.participant.tracks.audio ?? {};
  const heardAt = (hertz: number, frames: readonly Int16Array[]): number =>
    Math.max(0, ...frames.map((frame) => shareOfTone(frame, hertz)));
  await until('Carl hears the telephone', () => heardAt(700, carl.peer.heard[slot] ?? []) > 0.8);
  await ask(carl, { action: 'update-self', sends: ['audio'] });
  await carl.peer.speak(tone(500, 1));
  await until('the telephone hears Carl', () => heardAt(500, call.heard) > 0.8);
  await ask(ann, { action: 'send-tones', of: sessionId, tones: '12#' });
  await until('the keys are pressed', () => call.keys.join('') === '12#');
  await ask(ann, { action: 'stop-dial-out', of: sessionId });
  await until('all know', () => [ann, carl].every((one) => told(one, 'dialout-stopped').length === 1));
  await until('the telephone is free', () => call.seen.some((one) => one.startsWith('ended')));
  expect(told(carl, 'participant-left').map(({ id }) => id)).toContain(sessionId);
});

test('a telephone that may not send is heard by nobody, also by no other telephone, and may be heard again', async () => {
  const [ann] = await meet();
  if (ann === undefined) throw new Error('Ann is missing');
  const loud = await ask(ann, bob());
  await until('one has answered', () => told(ann, 'dialout-connected').length === 1);
  await ask(ann, bob());
  await until('another has answered', () => told(ann, 'dialout-connected').length === 2);
  const [one, other] = telephone.calls.slice(-2);
  if (one === undefined || other === undefined) throw new Error('nobody was called');
  const lately = () => joined(other.heard.slice(-10));
  one.leg.session.writePcm(tone(700, 60));
  await until('it is heard', () => shareOfTone(lately(), 700) > 0.8);
  const permit = (canSend: boolean) =>
    ask(ann, {
      action: 'update-participant',
      of: loud.sessionId,
      updates: { updatePermissions: { canSend } },
    });
  await permit(false);
  await until('it is not', () => lately().every((sample) => Math.abs(sample) < 100));
  expect(one.leg.session.queuedMs()).toBeGreaterThan(0);
  await permit(true);
  await until('it is again', () => shareOfTone(lately(), 700) > 0.8);
});

test('attack 57: who is no owner calls nobody, and nobody is called out of a room that does not allow it', async () => {
  const before = telephone.calls.length;
  const [, carl] = await meet();
  const [ann] = await meet({});
  if (ann === undefined || carl === undefined) throw new Error('somebody is missing');
  for (const command of [
    bob(),
    { action: 'stop-dial-out', of: 'x' },
    { action: 'send-tones', of: 'x', tones: '1' },
  ])
    expect((await ask(carl, command)).error.code).toBe('not-allowed');
  expect((await ask(ann, bob())).error).toMatchObject({
    code: 'not-allowed',
    message: 'Nobody can be called from this room: it has no enable_dialout.',
  });
  const withAssistant = {
    assistantId: app.resources.keys.voice_assistant_id,
    properties: { enable_dialout: true },
  };
  const { status, body } = await voiceApi(app, 'POST', '/rooms', withAssistant);
  expect([status, body.message]).toEqual([400, expect.stringContaining('could not be informed of it')]);
  expect(telephone.calls.length).toBe(before);
});

test('attack 57: a room calls by the rules of every call: foreign hosts, numbers without a way, too many at once', async () => {
  const [ann, carl] = await meet();
  if (ann === undefined || carl === undefined) throw new Error('somebody is missing');
  const refused = async (more: object) => (await ask(ann, { action: 'dial-out', ...more })).error?.code;
  expect(await refused({ sipUri: 'sip:bob@premium.example' })).toBe('destination_not_allowed');
  expect(await refused({ phoneNumber: '+449098790000' })).toBe('no_trunk');
  expect(await refused({ sipUri: 'sip:112@127.0.0.1' })).toBe('emergency_number');
  expect(await refused({})).toBe('validation_failed');
  expect(await refused({ ...bob(), callerId: '+442079460000' })).toBe('validation_failed');
  telephone.pickUp = 'ring';
  const before = telephone.calls.length;
  expect(await refused(bob())).toBeUndefined();
  expect(await refused(bob())).toBeUndefined();
  expect(await refused(bob())).toBe('too_many_lines');
  await until('both ring', () => telephone.calls.length === before + 2);
  await Promise.all([ann.peer.close(), carl.peer.close()]);
  // Nobody is left to talk to, so both are hung up.
  await until('both are hung up', () =>
    telephone.calls.slice(before).every(({ seen }) => seen.some((one) => /^(ended|failed)/.test(one))),
  );
});

test('attack 57: a telephone in a room takes one of the lines of all calls, and gives it back once', async () => {
  const small = await startTestApp({
    voiceEngines: simpleEngines(),
    settings: { SIP_LISTEN: 'udp://127.0.0.1:0', VOICE_MAX_CALLS: '1' },
  });
  onTestFinished(() => small.close());
  const room = await createRoom(small, { enable_dialout: true });
  const token = await tokenFor(small, room.name, { is_owner: true });
  const ann = await enterRoom(small, room.url, { token });
  onTestFinished(() => ann.peer.close());
  const { sessionId } = await ask(ann, bob());
  await until('it has answered', () => told(ann, 'dialout-connected').length > 0);
  const call = () =>
    voiceApi(small, 'POST', '/call/web', { assistantId: small.resources.keys.voice_assistant_id });
  const refused = await call();
  expect([refused.status, refused.body.code]).toEqual([429, 'concurrency_limit']);
  expect((await ask(ann, bob())).error.code).toBe('concurrency_limit');
  await ask(ann, { action: 'stop-dial-out', of: sessionId });
  await expect.poll(async () => (await call()).status).toBe(201);
  // A call that was refused or not answered does not take up a place.
  telephone.pickUp = 486;
  await ask(ann, bob());
  await until('it is busy', () => told(ann, 'dialout-error').length > 0);
  await expect.poll(async () => (await call()).status).toBe(201);
  telephone.pickUp = 'answer';
  await ask(ann, bob());
  await until('another has answered', () => told(ann, 'dialout-connected').length > 1);
});

test('a telephone has a place of its room, while it rings and while it talks, whoever comes', async () => {
  const properties = { enable_dialout: true, enable_knocking: true, max_participants: 2 };
  const room = await createRoom(app, properties, { privacy: 'private' });
  const token = await tokenFor(app, room.name, { is_owner: true });
  const ann = await enterRoom(app, room.url, { token });
  const knocking = await enterRoom(app, room.url);
  visits.push(ann, knocking);
  const guest = { token: await tokenFor(app, room.name) };
  const letIn = async () =>
    (await ask(ann, { action: 'admit', of: knocking.participant.session_id, granted: true })).error?.code;
  telephone.pickUp = 'ring';
  const { sessionId } = await ask(ann, bob());
  expect(await refusalOf(enterRoom(app, room.url, guest))).toBe('meeting-full');
  telephone.pickUp = 'answer';
  await ask(ann, { action: 'stop-dial-out', of: sessionId });
  await until('it is hung up', () => told(ann, 'dialout-stopped').length === 1);
  const talking = await ask(ann, bob());
  await until('it has answered', () => told(ann, 'dialout-connected').length > 0);
  expect(await refusalOf(enterRoom(app, room.url, guest))).toBe('meeting-full');
  expect(await letIn()).toBe('meeting-full');
  await ask(ann, { action: 'stop-dial-out', of: talking.sessionId });
  await until('it is hung up', () => told(ann, 'dialout-stopped').length === 2);
  expect(await letIn()).toBeUndefined();
  expect((await ask(ann, bob())).error.code).toBe('meeting-full');
});

test('attack 57: telephones are hung up when all who are left wait before the room, answered or not', async () => {
  const room = await createRoom(app, { enable_dialout: true, enable_knocking: true }, { privacy: 'private' });
  const token = await tokenFor(app, room.name, { is_owner: true });
  const ann = await enterRoom(app, room.url, { token });
  const knocking = await enterRoom(app, room.url);
  visits.push(ann, knocking);
  await ask(ann, bob());
  await until('one has answered', () => told(ann, 'dialout-connected').length > 0);
  telephone.pickUp = 'ring';
  await ask(ann, bob());
  const calls = telephone.calls.slice(-2);
  await ann.peer.close();
  await until('both are hung up', () =>
    calls.every(({ seen }) => seen.some((one) => /^(ended|failed)/.test(one))),
  );
  expect((await ask(knocking, { action: 'request-access' })).access).toEqual({ level: 'lobby' });
});

test('a telephone that is busy is told as an error, and its place is free again', async () => {
  const [ann] = await meet({ enable_dialout: true, max_participants: 3 });
  if (ann === undefined) throw new Error('Ann is missing');
  telephone.pickUp = 486;
  const { sessionId } = await ask(ann, bob());
  await until('Ann knows', () => told(ann, 'dialout-error').length > 0);
  expect(told(ann, 'dialout-error')).toMatchObject([{ sessionId, errorMsg: expect.stringContaining('486') }]);
  telephone.pickUp = 'answer';
  const again = await ask(ann, bob());
  await until('it has answered', () => told(ann, 'dialout-connected').length > 0);
  expect((await ask(ann, bob())).error.code).toBe('meeting-full');
  const mute = { action: 'update-participant', of: again.sessionId, updates: { setAudio: false } };
  expect((await ask(ann, mute)).error.code).toBe('not-allowed');
  const write = { action: 'app-message', data: 'hello', to: again.sessionId };
  expect((await ask(ann, write)).error.message).toBe('Telephones and players cannot read messages.');
  await ask(ann, { action: 'update-participant', of: again.sessionId, updates: { eject: true } });
  await until('it was put out', () => told(ann, 'dialout-stopped').length > 0);
});
