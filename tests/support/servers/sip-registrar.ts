import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { digestResponse, parseDigest } from '@northline/sip/digest-challenge';

/** A stand-in for a telephone provider that registers accounts, over UDP. */
export interface SipRegistrar {
  /** host:port. */
  readonly host: string;
  /** The methods of the requests that it has answered, each with its status. */
  readonly answered: string[];
  /** The addresses that are registered. */
  contacts: readonly string[];
  /** The methods for which it asks for a password. */
  asks: readonly string[];
  close(): Promise<void>;
}

const NONCE = 'a1b2c3';

/** Starts it on a free port of this machine; every account has this password. */
export async function startSipRegistrar(password: string): Promise<SipRegistrar> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const registrar: SipRegistrar = {
    host: `127.0.0.1:${socket.address().port}`,
    answered: [],
    contacts: [],
    asks: ['REGISTER'],
    async close() {
      socket.close();
      await once(socket, 'close');
    },
  };
  socket.on('message', (bytes, from) => {
    const [first = '', ...lines] = bytes.toString('utf8').split('\r\n');
    const method = first.split(' ')[0] ?? '';
    const header = (name: string): string =>
      lines.find((line) => line.toLowerCase().startsWith(`${name}:`))?.replace(/^[^:]*:\s*/, '') ?? '';
    const status = registrar.asks.includes(method)
      ? statusOf(header('authorization'), method, password)
      : 200;
    registrar.answered.push(`${method} ${status}`);
    const reply = [
      `SIP/2.0 ${status} ${status === 200 ? 'OK' : status === 401 ? 'Unauthorized' : 'Forbidden'}`,
      ...['via', 'from', 'call-id', 'cseq'].map((name) => `${name}: ${header(name)}`),
      `to: ${header('to')};tag=registrar`,
      ...(status === 401
        ? [`www-authenticate: Digest realm="provider", nonce="${NONCE}", algorithm=MD5, qop="auth"`]
        : []),
      ...(status === 200 && method === 'REGISTER' ? registrar.contacts.map((one) => `contact: ${one}`) : []),
      'content-length: 0',
      '',
      '',
    ].join('\r\n');
    socket.send(reply, from.port, from.address);
  });
  return registrar;
}

function statusOf(proof: string, method: string, password: string): 200 | 401 | 403 {
  const given = parseDigest(proof);
  if (given === undefined) return 401;
  const { username = '', uri = '', nc = '', cnonce = '', response } = given;
  const wanted = digestResponse(
    { algorithm: 'MD5', realm: 'provider', nonce: NONCE, method, uri, counted: { nc, cnonce } },
    { username, password },
  );
  return response === wanted ? 200 : 403;
}
