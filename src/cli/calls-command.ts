import { loadKeys } from '../kernel/resources/crypto/keys.ts';
import { type Command, UsageError } from './command.ts';
import { requestServer } from './server-request.ts';

/** The reply of `GET /voice/v1/evidence`. */
interface EvidenceCheck {
  readonly calls: number;
  readonly entries: number;
  readonly faults: readonly string[];
}

/** Verifies the chain of evidence of every call, or of one call; the running product reads it. */
export const callsCommand: Command = {
  summary: 'verifies the evidence of calls: disclosure, consent, turns, deletions',
  usage: ['verify-evidence [CALL]    reads the chain of every call, or of one, and names each fault'],
  async run(settings, [form, callId]) {
    if (form !== 'verify-evidence') throw new UsageError('');
    const { voice_private_key: key } = await loadKeys(settings.DATA_DIR);
    const query = callId === undefined ? '' : `?callId=${encodeURIComponent(callId)}`;
    const reply = await requestServer(settings, { method: 'GET', path: `/voice/v1/evidence${query}`, key });
    const { calls, entries, faults } = reply as EvidenceCheck;
    return {
      text: [...faults, `calls: ${calls}`, `entries: ${entries}`, `faults: ${faults.length}`].join('\n'),
      exitCode: faults.length > 0 ? 1 : 0,
    };
  },
};
