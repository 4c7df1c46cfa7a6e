import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { selfSignedCertificate } from '../support/servers/self-signed-certificate.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { simpleEngines } from '../support/voice/simple-engines.ts';
import { freePort, hasProgram } from '../support/voice/sip/sipp-run.ts';
import { openTelephone } from '../support/voice/sip-telephone.ts';
import { type CallRecord, voiceApi } from '../support/voice/voice-calls.ts';
import { until } from '../support/voice/voice-peer.ts';

const PATIENCE = 55_000 * Number(process.env.TEST_PATIENCE ?? 1);

let app: TestApp;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'sip-clients-'));
  app = await startTestApp({
    voiceEngines: simpleEngines(),
    settings: { SIP_LISTEN: 'udp://127.0.0.1:0,tcp://127.0.0.1:0', VOICE_MAX_CALLS: '8' },
  });
});
afterAll(async () => {
  await app?.close();
  rmSync(folder, { recursive: true, force: true });
});

const api = (method: string, at: string, body?: unknown) => voiceApi(app, method, at, body);
async function buy(): Promise<{ id: string; number: string; port: string; sipUri: string }> {
  const { body } = await api('POST', '/phone-number/buy', { areaCode: '202' });
  return { ...body, port: /:(\d+)/.exec(body.sipUri.split('@')[1])?.[1] };
}
async function ended(find: () => Promise<CallRecord[]>, count: number): Promise<CallRecord[]> {
  for (let round = 0; round < 1000 * Number(process.env.TEST_PATIENCE ?? 1); round += 1) {
    const over = (await find()).filter(({ status }) => status === 'ended');
    if (over.length >= count) return over;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('The calls did not end');
}

/** Runs a program to its end; returns its output and exit code. */
async function run(program: string, args: readonly string[]): Promise<{ code: number | null; said: string }> {
  const child = spawn(program, args, { cwd: folder, env: { ...process.env, TERM: 'dumb' } });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece) => {
      said += String(piece);
    });
  const [code] = await once(child, 'close');
  return { code: code as number | null, said };
}

test.skipIf(!hasProgram('sipp'))(
  'sipp calls a bought number by UDP: eight calls, each ends with one report',
  async () => {
    const { id, number, port } = await buy();
    const { code, said } = await run('sipp', [
      ...[
        '-sn',
        'uac',
        `127.0.0.1:${port}`,
        '-s',
        number,
        '-i',
        '127.0.0.1',
        '-m',
        '8',
        '-r',
        '4',
        '-l',
        '4',
      ],
      ...['-d', '500', '-nostdin', '-timeout', '40s', '-timeout_error'],
    ]);
    expect(code, said.slice(-2000)).toBe(0);
    const calls = await ended(async () => (await api('GET', `/call?phoneNumberId=${id}`)).body, 8);
    expect(calls.map(({ endedReason }) => endedReason)).toEqual(Array(8).fill('customer-ended-call'));
  },
  PATIENCE,
);

/** A telephone that refuses, as a scenario in sipp's own language. */
const refusing = (status: number) => `<?xml version="1.0" encoding="ISO-8859-1" ?>
<scenario name="refuse"><recv request="INVITE"/>
<send retrans="500"><![CDATA[
SIP/2.0 ${status} No
[last_Via:]
[last_From:]
[last_To:];tag=[call_number]
[last_Call-ID:]
[last_CSeq:]
Content-Length: 0

]]></send>
<recv request="ACK"/></scenario>`;

test.skipIf(!hasProgram('sipp'))(
  'sipp is called: it is busy, and it answers until the assistant hangs up',
  async () => {
    writeFileSync(path.join(folder, 'busy.xml'), refusing(486));
    const call = async (at: number, more: object = {}) =>
      (
        await api('POST', '/call/phone', {
          assistant: { firstMessage: 'Hello.', maxDurationSeconds: 10, ...more },
          customer: { sipUri: `sip:bob@127.0.0.1:${at}` },
        })
      ).body;
    const listen = ['-i', '127.0.0.1', '-m', '1', '-nostdin', '-timeout', '45s', '-timeout_error'];
    const [first, second] = [await freePort(), await freePort()];
    const busy = run('sipp', ['-sf', 'busy.xml', '-p', String(first), ...listen]);
    const answering = run('sipp', ['-sn', 'uas', '-p', String(second), ...listen]);
    // An INVITE that arrives before the program listens is repeated.
    const [refused, answered] = [await call(first), await call(second)];
    const find = (id: string) => async () => [(await api('GET', `/call/${id}`)).body];
    expect((await ended(find(refused.id), 1))[0]).toMatchObject({ endedReason: 'customer-busy' });
    expect((await ended(find(answered.id), 1))[0]).toMatchObject({ endedReason: 'exceeded-max-duration' });
    expect((await busy).code).toBe(0);
    expect((await answering).code).toBe(0);
  },
  PATIENCE,
);

/** Folder and arguments of a baresip that calls an address. */
function baresipArguments(uri: string, account: string, more: readonly string[] = []): string[] {
  const own = mkdtempSync(path.join(folder, 'baresip-'));
  const modules = ['g711', 'srtp', 'menu', 'account', 'aubridge', 'ctrl_tcp'].map(
    (name) => `module ${name}.so`,
  );
  const sound = ['audio_source aubridge,a', 'audio_player aubridge,b', 'audio_alert aubridge,c'];
  const config = [
    'module_path /usr/lib/baresip/modules',
    ...modules,
    'sip_listen 127.0.0.1:0',
    ...sound,
    ...more,
    '',
  ];
  writeFileSync(path.join(own, 'config'), config.join('\n'));
  writeFileSync(path.join(own, 'accounts'), `${account}\n`);
  return ['-f', own, '-e', `d ${uri}`];
}

/** Makes baresip call an address for some seconds; returns its output. */
async function baresip(uri: string, account: string, more: readonly string[] = []): Promise<string> {
  const free = [`ctrl_tcp_listen 127.0.0.1:${await freePort()}`, ...more];
  return (
    await run('baresip', [
      ...baresipArguments(uri, account, free),
      '-t',
      String(Math.ceil(6 * Number(process.env.TEST_PATIENCE ?? 1))),
    ])
  ).said;
}

test.skipIf(!hasProgram('baresip'))(
  'baresip calls, is answered, and hangs up',
  async () => {
    const { id, sipUri } = await buy();
    expect(await baresip(sipUri, '<sip:ann@127.0.0.1>;regint=0')).toContain('Call established');
    const [call] = await ended(async () => (await api('GET', `/call?phoneNumberId=${id}`)).body, 1);
    expect(call?.endedReason).toBe('customer-ended-call');
  },
  PATIENCE,
);

test.skipIf(!hasProgram('baresip'))(
  'baresip calls over TLS, with its sound encrypted',
  async () => {
    const { privateKey, certificate } = selfSignedCertificate('127.0.0.1');
    const [cert, key] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')];
    writeFileSync(cert, certificate);
    writeFileSync(key, privateKey);
    const settings = {
      SIP_LISTEN: 'tls://127.0.0.1:0',
      SIP_TLS_CERT: cert,
      SIP_TLS_KEY: key,
      SIP_SRTP: 'required',
    };
    const secure = await startTestApp({ voiceEngines: simpleEngines(), settings });
    onTestFinished(() => secure.close());
    const { body } = await voiceApi(secure, 'POST', '/phone-number/buy', { areaCode: '202' });
    expect(body.sipUri).toContain(';transport=tls');
    const account = '<sip:ann@127.0.0.1;transport=tls>;regint=0;mediaenc=srtp-mand';
    const said = await baresip(body.sipUri, account, [`sip_cafile ${cert}`]);
    expect(said).toContain('Call established');
    const find = async () => (await voiceApi(secure, 'GET', `/call?phoneNumberId=${body.id}`)).body;
    expect((await ended(find, 1))[0]?.endedReason).toBe('customer-ended-call');
  },
  PATIENCE,
);

test.skipIf(!hasProgram('baresip'))(
  'baresip holds and goes on, and sends the assistant to somebody else, of whom it hears before it is left',
  async () => {
    const person = await openTelephone();
    onTestFinished(() => person.close());
    const { id, sipUri } = await buy();
    const port = await freePort();
    const control = [`ctrl_tcp_listen 127.0.0.1:${port}`];
    const child = spawn('baresip', [
      '-s',
      ...baresipArguments(sipUri, '<sip:ann@127.0.0.1>;regint=0', control),
    ]);
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (piece) => {
        said += String(piece);
      });
    const closed = once(child, 'close');
    const says = (words: RegExp): Promise<void> =>
      until(`${words} in ${said.slice(-4000)}`, () => words.test(said));
    await says(/Call established/);
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const command = (name: string, params = ''): void => {
      const text = JSON.stringify({ command: name, params, token: '' });
      said = '';
      socket.write(`${text.length}:${text},`);
    };
    command('hold');
    await says(/a=sendonly[\s\S]*SIP\/2\.0 200 OK[\s\S]*a=recvonly[\s\S]*ACK sip:/);
    command('resume');
    await says(/a=sendrecv[\s\S]*SIP\/2\.0 200 OK[\s\S]*a=sendrecv[\s\S]*ACK sip:/);
    command('transfer', `sip:bob@127.0.0.1:${person.port}`);
    await says(/SIP\/2\.0 202 [\s\S]*NOTIFY sip:[\s\S]*SIP\/2\.0 200 OK[\s\S]*BYE sip:/);
    await until('the person is called', () => person.calls[0]?.seen.includes('established') === true);
    person.calls[0]?.call.hangUp();
    const [call] = await ended(async () => (await api('GET', `/call?phoneNumberId=${id}`)).body, 1);
    expect(call?.endedReason).toBe('customer-ended-call');
    command('quit');
    await closed;
  },
  PATIENCE,
);
