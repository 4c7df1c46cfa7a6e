import type { RealtimeChannel, SupabaseClient } from '@supabase/supabase-js';
import type { World } from '../calling-world.ts';

const PATIENCE_MS = 120_000;

/** Resolves with the first value that it is given, or rejects after a while. */
function hearing<T>(): { told: Promise<T>; tell: (value: T) => void } {
  let tell: (value: T) => void = () => {};
  const told = new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('nothing was heard')), PATIENCE_MS);
    tell = (value) => {
      clearTimeout(timer);
      resolve(value);
    };
  });
  told.catch(() => {});
  return { told, tell };
}

const status = (channel: RealtimeChannel) =>
  new Promise<object>((resolve) => {
    channel.subscribe((word) => resolve(word === 'SUBSCRIBED' ? {} : { error: { code: word } }));
  });
const sent = async (word: PromiseLike<string>) =>
  (await word) === 'ok' ? {} : { error: { code: String(await word) } };

/** Channels. If there is more than one process, the listener's socket is on another one than the sender's. */
export async function callRealtime(world: World): Promise<void> {
  const { user } = world;
  const { data } = await user.auth.getSession();
  const { session } = data;
  const listener = world.connect(world.anonKey, 1);
  await listener.auth.setSession({
    access_token: session?.access_token ?? '',
    refresh_token: session?.refresh_token ?? '',
  });
  await callChannels(world, listener, session?.user.id ?? '');
  await callChanges(world, listener);
  await callConnection(world, listener);
}

async function callChannels(world: World, listener: SupabaseClient, id: string): Promise<void> {
  const { user, visitor } = world;
  const said = hearing<{ payload: { text: string } }>();
  const told = hearing<{ payload: { text: string } }>();
  const joined = hearing<unknown>();
  const hall = listener.channel('room', { config: { presence: { key: 'listener' } } });
  const room = user.channel('room', { config: { broadcast: { ack: true }, presence: { key: 'speaker' } } });
  await world.make('Realtime', 'user', [
    [
      'channel().on()',
      async () => {
        hall
          .on('broadcast', { event: 'say' }, (message) => said.tell(message as never))
          .on('broadcast', { event: 'tell' }, (message) => told.tell(message as never))
          .on('presence', { event: 'join' }, ({ key }) => key === 'speaker' && joined.tell(key));
        return {};
      },
    ],
    ['channel().subscribe()', () => status(hall)],
    ['channel().subscribe() of a second client', () => status(room)],
    [
      'channel().send()',
      () => sent(room.send({ type: 'broadcast', event: 'say', payload: { text: 'hello' } })),
    ],
    ['channel().on() has heard it', async () => ({ data: (await said.told).payload.text }), String],
    ['channel().httpSend()', () => room.httpSend('tell', { text: 'by request' })],
    ['channel().on() has heard that too', async () => ({ data: (await told.told).payload.text }), String],
    ['channel().track()', () => sent(room.track({ here: true }))],
    ['channel().on() has seen who came', async () => ({ data: await joined.told }), String],
    ['channel().presenceState()', async () => ({ data: Object.keys(hall.presenceState()) }), String],
    ['channel().untrack()', () => sent(room.untrack())],
    ['channel().unsubscribe()', () => sent(room.unsubscribe())],
    [
      'channel().subscribe() of a private one',
      () => status(user.channel(`mine-${id}`, { config: { private: true } })),
    ],
    [
      'channel().subscribe() of somebody else’s private one',
      () => status(user.channel('mine-other', { config: { private: true } })),
    ],
  ]);
  await world.make('Realtime', 'visitor', [
    [
      'channel().subscribe() of a private one',
      () => status(visitor.channel(`mine-${id}`, { config: { private: true } })),
    ],
  ]);
}

async function callChanges(world: World, listener: SupabaseClient): Promise<void> {
  const { user } = world;
  const changes = { schema: 'public', table: 'notes' } as const;
  const inserted = hearing<string>();
  const updated = hearing<string>();
  const deleted = hearing<string>();
  const notes = listener
    .channel('notes')
    .on('postgres_changes', { ...changes, event: 'INSERT', filter: 'id=eq.100' }, (change) =>
      inserted.tell(`${change.eventType} ${change.new.body}`),
    )
    .on('postgres_changes', { ...changes, event: 'UPDATE' }, (change) =>
      updated.tell(`${change.eventType} ${change.new.body}`),
    )
    .on('postgres_changes', { ...changes, event: 'DELETE' }, (change) =>
      deleted.tell(`${change.eventType} ${change.old.id}`),
    );
  await world.make('Realtime', 'user', [
    ["channel().on('postgres_changes').subscribe()", () => status(notes)],
    [
      'channel().subscribe() of no watched table',
      () =>
        status(
          user.channel('b').on('postgres_changes', { ...changes, event: '*', table: 'nothing' }, () => {}),
        ),
    ],
  ]);
  await user.from('notes').insert({ id: 100, body: 'new' });
  await world.make('Realtime', 'user', [
    ["channel().on('postgres_changes') of an insert", async () => ({ data: await inserted.told }), String],
  ]);
  await user.from('notes').update({ body: 'newer' }).eq('id', 100);
  await world.make('Realtime', 'user', [
    ["channel().on('postgres_changes') of an update", async () => ({ data: await updated.told }), String],
  ]);
  await user.from('notes').delete().eq('id', 100);
  await world.make('Realtime', 'user', [
    ["channel().on('postgres_changes') of a delete", async () => ({ data: await deleted.told }), String],
  ]);
}

async function callConnection(world: World, listener: SupabaseClient): Promise<void> {
  const { realtime } = listener;
  const beat = hearing<string>();
  await world.make('Realtime', 'user', [
    [
      'realtime.onHeartbeat()',
      async () => void realtime.onHeartbeat((word) => word === 'ok' && beat.tell(word)),
    ],
    ['realtime.sendHeartbeat()', async () => void (await realtime.sendHeartbeat())],
    ['realtime.onHeartbeat() has heard', async () => ({ data: await beat.told }), String],
    ['realtime.setAuth()', () => realtime.setAuth()],
    ['realtime.isConnected()', async () => ({ data: realtime.isConnected() }), String],
    ['realtime.isConnecting()', async () => ({ data: realtime.isConnecting() }), String],
    ['realtime.isDisconnecting()', async () => ({ data: realtime.isDisconnecting() }), String],
    ['realtime.connectionState()', async () => ({ data: realtime.connectionState() }), String],
    ['realtime.channel()', async () => ({ data: realtime.channel('x').topic }), String],
    ['realtime.getChannels()', async () => ({ data: realtime.getChannels().length }), String],
    ['channel()', async () => ({ data: listener.channel('y').topic }), String],
    ['getChannels()', async () => ({ data: listener.getChannels().length }), String],
    ['removeChannel()', () => sent(listener.removeChannel(listener.channel('notes')))],
    ['realtime.removeChannel()', () => sent(realtime.removeChannel(realtime.channel('room')))],
    [
      'realtime.removeAllChannels()',
      async () => ({ data: (await realtime.removeAllChannels()).join() }),
      String,
    ],
    ['removeAllChannels()', async () => ({ data: (await world.user.removeAllChannels()).join() }), String],
    ['realtime.disconnect()', async () => ({ data: await realtime.disconnect() }), String],
    ['realtime.connect()', async () => void realtime.connect()],
  ]);
}
