import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  DataPacket,
  DisconnectReason,
  JoinResponse,
  LeaveRequest,
  LeaveRequest_Action,
  ParticipantInfo,
  ParticipantInfo_State,
  ParticipantPermission,
  ParticipantUpdate,
  Pong,
  Room,
  ServerInfo,
  SessionDescription,
  SignalRequest,
  SignalResponse,
  TrackInfo,
  TrackPublishedResponse,
} from '@livekit/protocol';
import { jwtVerify } from 'jose';
import { MediaStreamTrack, type RTCDataChannel, type RTCPeerConnection, RtpHeader, RtpPacket } from 'werift';
import { type WebSocket, WebSocketServer } from 'ws';
import { openPeer } from './counterpart-peer.ts';

/** Who holds a token, and what it allows (the claim `video`). */
interface Grant {
  readonly identity: string;
  readonly room?: string;
  readonly roomJoin?: boolean;
  readonly roomCreate?: boolean;
  readonly canPublish?: boolean;
  readonly canSubscribe?: boolean;
  readonly canPublishData?: boolean;
}

/** A LiveKit server of one process, with what tests may look at. */
export interface LiveKitCounterpart {
  /** Its address for `LIVEKIT_URL`. */
  readonly url: string;
  /** Identities of the people in a room; undefined where it does not exist. */
  identities(room: string): string[] | undefined;
  /** Names of all rooms. */
  rooms(): string[];
  close(): Promise<void>;
}

const sid = (prefix: string): string => `${prefix}_${randomBytes(6).toString('hex')}`;
const RELIABLE = '_reliable';

/**
 * A counterpart of a LiveKit server (its protocol 15 at /rtc, and DeleteRoom of RoomService over twirp), which
 * forwards sound and reliable data packets among people in a room. The published clients of both ends speak to it.
 */
export async function openLiveKit(key: string, secret: string): Promise<LiveKitCounterpart> {
  const rooms = new Map<string, CounterpartRoom>();
  const grantOf = async (token: string): Promise<Grant> => {
    const { payload } = await jwtVerify(token, new TextEncoder().encode(secret), { issuer: key });
    return { ...(payload.video ?? {}), identity: payload.sub ?? '' };
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(401).end(String(error)));
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { roomCreate } = await grantOf(request.headers.authorization?.replace(/^Bearer /, '') ?? '');
    if (request.url !== '/twirp/livekit.RoomService/DeleteRoom') return void response.writeHead(404).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { room } = JSON.parse(Buffer.concat(chunks).toString()) as { room: string };
    const found = rooms.get(room);
    if (roomCreate === true) found?.remove();
    const status = roomCreate !== true ? 403 : found === undefined ? 404 : 200;
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  }
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://livekit');
    const refuse = (line: string): void => void socket.end(`HTTP/1.1 ${line}\r\nconnection: close\r\n\r\n`);
    // A server before the second signalling address: the clients fall back to the first one.
    if (pathname !== '/rtc') return refuse('404 Not Found');
    const token = searchParams.get('access_token') ?? request.headers.authorization?.replace(/^Bearer /, '');
    grantOf(token ?? '').then(
      (grant) => {
        const { roomJoin, room: name } = grant;
        if (roomJoin !== true || name === undefined) return refuse('401 Unauthorized');
        sockets.handleUpgrade(request, socket, head, (client) => {
          const room = rooms.get(name) ?? new CounterpartRoom(name, () => void rooms.delete(name));
          rooms.set(name, room);
          room.enter(client, grant);
        });
      },
      () => refuse('401 Unauthorized'),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `ws://127.0.0.1:${port}`,
    identities: (room) => rooms.get(room)?.people.map(({ grant }) => grant.identity),
    rooms: () => [...rooms.keys()],
    async close() {
      for (const room of [...rooms.values()]) room.remove();
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

class CounterpartRoom {
  readonly #info: Room;
  readonly #gone: () => void;
  people: readonly CounterpartPerson[] = [];

  constructor(name: string, gone: () => void) {
    this.#info = new Room({ sid: sid('RM'), name });
    this.#gone = gone;
  }

  enter(socket: WebSocket, grant: Grant): void {
    const person = new CounterpartPerson(this, socket, grant);
    person.send({
      case: 'join',
      value: new JoinResponse({
        room: this.#info,
        participant: person.info(),
        otherParticipants: this.people.map((one) => one.info()),
        serverVersion: '1.9.0',
        serverInfo: new ServerInfo({ version: '1.9.0', protocol: 15 }),
        subscriberPrimary: true,
        pingInterval: 5,
        pingTimeout: 15,
      }),
    });
    this.people = [...this.people, person];
    this.tell(person);
    person.begin();
  }

  left(person: CounterpartPerson): void {
    this.people = this.others(person);
    this.tell(person, ParticipantInfo_State.DISCONNECTED);
    if (this.people.length === 0) this.#gone();
  }

  remove(): void {
    for (const person of this.people) person.leave(DisconnectReason.ROOM_DELETED);
  }

  /** Tells the others how somebody is now. */
  tell(person: CounterpartPerson, state = ParticipantInfo_State.ACTIVE): void {
    const value = new ParticipantUpdate({ participants: [person.info(state)] });
    for (const one of this.others(person)) one.send({ case: 'update', value });
  }

  others(person: CounterpartPerson): CounterpartPerson[] {
    return this.people.filter((one) => one !== person);
  }
}

class CounterpartPerson {
  readonly grant: Grant;
  readonly #room: CounterpartRoom;
  readonly #socket: WebSocket;
  readonly #sid = sid('PA');
  readonly #publisher: RTCPeerConnection = openPeer();
  readonly #subscriber: RTCPeerConnection = openPeer();
  readonly #channel: RTCDataChannel;
  /** What this person publishes, by the id of the track in the server. */
  readonly #tracks = new Map<string, TrackInfo>();
  /** Where the sound of others goes on its way to this person. */
  readonly #heard = new Map<string, MediaStreamTrack>();
  #streams: readonly string[] = [];
  #offering = Promise.resolve();
  #answered: (() => void) | undefined;
  #left = false;

  constructor(room: CounterpartRoom, socket: WebSocket, grant: Grant) {
    this.#room = room;
    this.#socket = socket;
    this.grant = grant;
    this.#channel = this.#subscriber.createDataChannel(RELIABLE, { ordered: true });
    this.#publisher.onDataChannel.subscribe(({ label, onMessage }) => {
      if (label === RELIABLE) onMessage.subscribe((bytes) => this.#pass(Buffer.from(bytes)));
    });
    this.#publisher.onTrack.subscribe((track) => {
      const published = [...this.#tracks.keys()].at(-1) ?? '';
      track.onReceiveRtp.subscribe((packet) => {
        for (const other of room.others(this)) other.hear(published, packet);
      });
    });
    socket.on('message', (bytes: Buffer) => {
      this.#take(SignalRequest.fromBinary(bytes)).catch((error: unknown) => {
        console.error('counterpart', error);
        socket.close();
      });
    });
    socket.on('close', () => this.leave(DisconnectReason.CLIENT_INITIATED));
  }

  info(state = ParticipantInfo_State.ACTIVE): ParticipantInfo {
    const { identity, canPublish = false, canSubscribe = false, canPublishData = false } = this.grant;
    const permission = new ParticipantPermission({ canPublish, canSubscribe, canPublishData });
    return new ParticipantInfo({
      ...{ sid: this.#sid, identity, state, permission },
      tracks: [...this.#tracks.values()],
    });
  }

  send(message: SignalResponse['message']): void {
    if (this.#socket.readyState === 1) this.#socket.send(new SignalResponse({ message }).toBinary());
  }

  /** Offers what the others publish already. */
  begin(): void {
    for (const other of this.#room.others(this))
      for (const track of other.#tracks.keys()) this.#subscribe(other, track);
    this.#offer();
  }

  hear(track: string, packet: RtpPacket): void {
    const { sequenceNumber, timestamp, marker } = packet.header;
    const header = new RtpHeader({ sequenceNumber, timestamp, marker });
    this.#heard.get(track)?.writeRtp(new RtpPacket(header, packet.payload));
  }

  leave(reason: DisconnectReason): void {
    if (this.#left) return;
    this.#left = true;
    this.send({
      case: 'leave',
      value: new LeaveRequest({ reason, action: LeaveRequest_Action.DISCONNECT }),
    });
    this.#socket.close();
    this.#room.left(this);
    void this.#publisher.close();
    void this.#subscriber.close();
  }

  async #take({ message }: SignalRequest): Promise<void> {
    switch (message.case) {
      case 'offer': {
        const { sdp: offer, id } = message.value;
        await this.#publisher.setRemoteDescription({ type: 'offer', sdp: offer });
        await this.#publisher.setLocalDescription(await this.#publisher.createAnswer());
        const sdp = this.#publisher.localDescription?.sdp ?? '';
        this.send({ case: 'answer', value: new SessionDescription({ type: 'answer', sdp, id }) });
        return;
      }
      case 'answer':
        await this.#subscriber.setRemoteDescription({ type: 'answer', sdp: message.value.sdp });
        this.#answered?.();
        return;
      case 'addTrack': {
        const { cid, name, type, source } = message.value;
        const track = new TrackInfo({ sid: sid('TR'), name, type, source, mimeType: 'audio/opus' });
        this.#tracks.set(track.sid, track);
        this.send({ case: 'trackPublished', value: new TrackPublishedResponse({ cid, track }) });
        this.#room.tell(this);
        for (const other of this.#room.others(this)) {
          other.#subscribe(this, track.sid);
          other.#offer();
        }
        return;
      }
      case 'pingReq': {
        const { timestamp } = message.value;
        const value = new Pong({ lastPingTimestamp: timestamp, timestamp: BigInt(Date.now()) });
        this.send({ case: 'pongResp', value });
        return;
      }
      case 'leave':
        this.leave(DisconnectReason.CLIENT_INITIATED);
        return;
      default:
        // Candidates are not needed by a lite side; sizes and subscriptions stay as they are.
        return;
    }
  }

  #subscribe(other: CounterpartPerson, trackSid: string): void {
    const track = new MediaStreamTrack({ kind: 'audio' });
    this.#heard.set(trackSid, track);
    this.#subscriber.addTransceiver(track, { direction: 'sendonly' });
    this.#streams = [...this.#streams, `${other.#sid}|${trackSid} ${trackSid}`];
  }

  /** One offer after the other: the next one waits for the answer. */
  #offer(): void {
    this.#offering = this.#offering
      .then(async () => {
        if (this.#left) return;
        const answered = new Promise<void>((resolve) => {
          this.#answered = resolve;
        });
        await this.#subscriber.setLocalDescription(await this.#subscriber.createOffer());
        const streams = [...this.#streams];
        const sdp = (this.#subscriber.localDescription?.sdp ?? '').replaceAll(
          'a=sendonly',
          (line) => `${line}\r\na=msid:${streams.shift() ?? ''}`,
        );
        this.send({ case: 'offer', value: new SessionDescription({ type: 'offer', sdp }) });
        await answered;
      })
      .catch((error: unknown) => console.error('counterpart', error));
  }

  /** A data packet goes to whom it names, or to everybody else. */
  #pass(bytes: Uint8Array): void {
    const packet = DataPacket.fromBinary(bytes);
    const wanted = packet.destinationIdentities;
    packet.participantIdentity = this.grant.identity;
    packet.participantSid = this.#sid;
    for (const other of this.#room.others(this))
      if (wanted.length === 0 || wanted.includes(other.grant.identity))
        other.#channel.send(Buffer.from(packet.toBinary()));
  }
}
