import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A mail in the mailbox. */
interface StoredMail {
  readonly uid: number;
  readonly raw: Buffer;
  readonly flags: Set<string>;
}

/** A mailbox INBOX with the part of IMAP4rev1 (RFC 3501) that reading mails needs, on a free port of this machine. */
export interface TestImapServer {
  /** The value for MAIL_IN_IMAP_URL. */
  readonly url: string;
  /** Puts a mail into the mailbox. @returns its UID */
  deliver(raw: string | Buffer): number;
  /** The flags of a mail. */
  flagsOf(uid: number): readonly string[];
  /** Gives all mails other UIDs, as a server does whose mailbox was made anew. */
  renumber(): void;
  /** What clients have sent, without passwords. */
  readonly commands: string[];
  /** The connection is cut when a command matches. */
  cutAt: RegExp | undefined;
  /** A command that matches gets no answer. */
  holdAt: RegExp | undefined;
  close(): Promise<void>;
}

const USER = 'documents';
const PASSWORD = 'harbour tulip';

/** Starts it, with an empty mailbox. */
export async function startImapServer(): Promise<TestImapServer> {
  let mails: StoredMail[] = [];
  let validity = 7;
  let next = 1;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    socket.write('* OK [CAPABILITY IMAP4rev1] ready\r\n');
    let rest = '';
    let isIn = false;
    let isSelected = false;
    const answer = (line: string): void => {
      const [, tag = '*', command = '', words = ''] = /^(\S+) (?:UID )?(\S+) ?(.*)$/i.exec(line) ?? [];
      const name = command.toUpperCase();
      imap.commands.push(name === 'LOGIN' ? 'LOGIN' : line.slice(tag.length + 1));
      if (imap.cutAt?.test(line)) {
        socket.destroy();
        return;
      }
      if (imap.holdAt?.test(line)) return;
      const done = (text = 'done'): unknown => socket.write(`${tag} OK ${text}\r\n`);
      const refuse = (text: string): unknown => socket.write(`${tag} ${text}\r\n`);
      if (name === 'CAPABILITY') {
        socket.write('* CAPABILITY IMAP4rev1\r\n');
        done();
      } else if (name === 'LOGIN') {
        isIn = words === `"${USER}" "${PASSWORD}"`;
        if (isIn) done();
        else refuse('NO [AUTHENTICATIONFAILED] Wrong name or password');
      } else if (name === 'LOGOUT') {
        socket.end(`* BYE\r\n${tag} OK bye\r\n`);
      } else if (!isIn) {
        refuse('BAD log in first');
      } else if (name === 'LIST') {
        socket.write(words === '"" ""' ? '* LIST (\\Noselect) "/" ""\r\n' : '* LIST () "/" INBOX\r\n');
        done();
      } else if (name === 'SELECT' || name === 'EXAMINE') {
        isSelected = true;
        socket.write(
          `* FLAGS (\\Seen)\r\n* ${mails.length} EXISTS\r\n* OK [UIDVALIDITY ${validity}]\r\n* OK [UIDNEXT ${next}]\r\n`,
        );
        done('[READ-WRITE]');
      } else if (name === 'NOOP') done();
      else if (!isSelected) refuse('BAD select first');
      else if (name === 'SEARCH') {
        const [, from = '1', to = from] = /UID (\d+)(?::(\d+|\*))?/i.exec(words) ?? [];
        const newest = mails.at(-1)?.uid ?? 0;
        const last = to === '*' ? newest : Number(to);
        // A range in the wrong order is the same range (RFC 3501 §9, seq-range).
        const [low, high] = [Math.min(Number(from), last), Math.max(Number(from), last)];
        const found = mails.filter(({ uid }) => uid >= low && uid <= high).map(({ uid }) => uid);
        socket.write(`* SEARCH${found.map((uid) => ` ${uid}`).join('')}\r\n`);
        done();
      } else if (name === 'FETCH') {
        const uid = Number(words.split(' ')[0]);
        const at = mails.findIndex((mail) => mail.uid === uid);
        const mail = mails[at];
        if (mail !== undefined) sendMail(socket, at + 1, mail, words);
        done();
      } else if (name === 'STORE') {
        const mail = mails.find(({ uid }) => uid === Number(words.split(' ')[0]));
        for (const flag of /\(([^)]*)\)/.exec(words)?.[1]?.split(' ') ?? []) mail?.flags.add(flag);
        done();
      } else refuse('BAD no such command');
    };
    socket.on('data', (chunk) => {
      rest += chunk.toString('latin1');
      for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        answer(line);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const imap: TestImapServer = {
    url: `imap://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/INBOX`,
    commands: [],
    cutAt: undefined,
    holdAt: undefined,
    deliver(raw) {
      const uid = next;
      next += 1;
      mails.push({ uid, raw: Buffer.from(raw), flags: new Set() });
      return uid;
    },
    flagsOf: (uid) => [...(mails.find((mail) => mail.uid === uid)?.flags ?? [])],
    renumber() {
      validity += 1;
      next = 1;
      mails = mails.map(({ raw }) => {
        const uid = next;
        next += 1;
        return { uid, raw, flags: new Set<string>() };
      });
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return imap;
}

function sendMail(socket: Socket, number: number, { uid, raw }: StoredMail, wanted: string): void {
  const parts = [`UID ${uid}`];
  if (/RFC822\.SIZE/i.test(wanted)) parts.push(`RFC822.SIZE ${raw.length}`);
  socket.write(`* ${number} FETCH (${parts.join(' ')}`);
  const section = /BODY\.PEEK\[(HEADER)?\]/i.exec(wanted);
  if (section !== null) {
    const name = section[1] === undefined ? 'BODY[]' : 'BODY[HEADER]';
    const end = raw.indexOf('\r\n\r\n');
    const bytes = section[1] === undefined ? raw : raw.subarray(0, end < 0 ? raw.length : end + 4);
    socket.write(` ${name} {${bytes.length}}\r\n`);
    socket.write(bytes);
  }
  socket.write(')\r\n');
}
