import { onTestFinished } from 'vitest';
import type { IncomingCall, SipCallEvents } from './dialog/sip-call.ts';
import { openUserAgent, type SipUserAgent, type UserAgentOptions } from './user-agent.ts';

/** A session description that every side accepts. */
export const SDP =
  'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 0\r\n';

/** A user agent of a test, its incoming calls, and its log lines. */
export interface TestAgent {
  readonly agent: SipUserAgent;
  readonly port: number;
  readonly calls: IncomingCall[];
  readonly lines: string[];
}

/** Opens an agent on the loopback until the end of the test. */
export async function openAgent(
  protocol: 'udp' | 'tcp' = 'udp',
  more: Partial<UserAgentOptions> = {},
): Promise<TestAgent> {
  const calls: IncomingCall[] = [];
  const lines: string[] = [];
  const agent = await openUserAgent({
    addresses: [{ protocol, host: '127.0.0.1', port: 0 }],
    log: (line) => void lines.push(line),
    admits: () => true,
    called: (call) => void calls.push(call),
    ...more,
  });
  onTestFinished(() => agent.close());
  return { agent, port: agent.listeners[0]?.port ?? 0, calls, lines };
}

/** Records all events of a call as words. */
export function witness(more: Partial<SipCallEvents> = {}): { seen: string[]; events: SipCallEvents } {
  const seen: string[] = [];
  const events: SipCallEvents = {
    ringing: (status) => void seen.push(`ringing ${status}`),
    answered: (sdp) => void seen.push(`answered ${sdp.length > 0}`),
    established: () => void seen.push('established'),
    failed: (status) => void seen.push(`failed ${status}`),
    ended: (how) => void seen.push(`ended ${how}`),
    offer: (sdp) => {
      seen.push(`offer ${sdp?.includes('inactive') ? 'held' : 'plain'}`);
      return SDP;
    },
    tone: (digit) => void seen.push(`tone ${digit}`),
    ...more,
  };
  return { seen, events };
}
