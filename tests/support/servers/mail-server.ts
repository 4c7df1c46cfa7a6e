import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** The content of one SMTP transaction. */
export interface ReceivedMail {
  readonly to: string;
  /** Headers and body as received. */
  readonly raw: string;
}

/** A real third-party mail server, on a free port of this machine. */
export interface TestMailServer {
  /** The value for SMTP_URL. */
  readonly url: string;
  readonly received: ReceivedMail[];
  /**
   * Its refusals: to RCPT by recipient, and to the message itself; a code and a text, e.g. `550 5.1.1 No such
   * user`.
   */
  refuse: { recipient(address: string): string | undefined; message(address: string): string | undefined };
  close(): Promise<void>;
}

/** Starts it; with `login`, only `user:password` may send. */
export async function startMailServer(login?: string): Promise<TestMailServer> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    disabledCommands: login === undefined ? ['AUTH', 'STARTTLS'] : ['STARTTLS'],
    allowInsecureAuth: true,
    authOptional: login === undefined,
    logger: false,
    onAuth(auth, _session, done) {
      if (`${auth.username}:${auth.password}` === login) done(null, { user: auth.username });
      else done(reply('535 5.7.8 Wrong name or password'));
    },
    onRcptTo({ address }, _session, done) {
      done(reply(mailServer.refuse.recipient(address)));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const to = session.envelope.rcptTo[0]?.address ?? '';
        const refusal = reply(mailServer.refuse.message(to));
        if (refusal === null) received.push({ to, raw: Buffer.concat(chunks).toString('utf8') });
        done(refusal);
      });
    },
  });
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const mailServer: TestMailServer = {
    url: `smtp://${login === undefined ? '' : `${login}@`}127.0.0.1:${port}`,
    received,
    refuse: { recipient: () => undefined, message: () => undefined },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return mailServer;
}

function reply(words: string | undefined): (Error & { responseCode: number }) | null {
  if (words === undefined) return null;
  return Object.assign(new Error(words.slice(4)), { responseCode: Number(words.slice(0, 3)) });
}
