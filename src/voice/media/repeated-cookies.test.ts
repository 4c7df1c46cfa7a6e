import { expect, onTestFinished, test } from 'vitest';
import {
  createSelfSignedCertificate,
  DtlsClient,
  DtlsServer,
  NamedCurveAlgorithm,
  SignatureAlgorithm,
} from 'werift';
import { ignoreRepeatedCookies } from './repeated-cookies.server.ts';

/** One end of a connection in memory; what is sent arrives at the other end as often as `copies` says. */
class Line {
  type = 'memory';
  closed = false;
  onData: (data: Buffer) => void = () => {};
  other: Line | undefined;
  readonly #copies: (count: number) => number;
  #sent = 0;

  constructor(copies: (count: number) => number) {
    this.#copies = copies;
  }

  send = async (data: Buffer): Promise<void> => {
    this.#sent += 1;
    for (let copy = this.#copies(this.#sent); copy > 0; copy -= 1)
      setImmediate(() => this.other?.onData(data));
  };
  close = async (): Promise<void> => {
    this.closed = true;
  };
  get address() {
    return ['memory', 0] as const;
  }
}

/** The state of a connection whose first greeting arrives twice. */
async function greetTwice(prepare: (client: DtlsClient) => void): Promise<string> {
  const [there, here] = [new Line(() => 1), new Line((count) => (count === 1 ? 2 : 1))];
  there.other = here;
  here.other = there;
  const { certPem, keyPem, signatureHash } = await createSelfSignedCertificate(
    { signature: SignatureAlgorithm.ecdsa_3, hash: 4 },
    NamedCurveAlgorithm.secp256r1_23,
  );
  const identity = { cert: certPem, key: keyPem, signatureHash, extendedMasterSecret: true };
  const server = new DtlsServer({ ...identity, transport: there as never, certificateRequest: true });
  const client = new DtlsClient({ ...identity, transport: here as never });
  onTestFinished(() => {
    client.close();
    server.close();
  });
  prepare(client);
  const outcome = new Promise<string>((resolve) => {
    client.onConnect.once(() => resolve('connected'));
    client.onError.once(() => resolve('given up'));
  });
  void client.connect().catch(() => {});
  return outcome;
}

test('a greeting that arrives twice, and so brings two cookies, connects once', async () => {
  expect(await greetTwice((dtls) => ignoreRepeatedCookies({ dtls }))).toBe('connected');
});

test('werift alone gives up on it; where it no longer does, this may go', async () => {
  expect(await greetTwice(() => {})).toBe('given up');
});
