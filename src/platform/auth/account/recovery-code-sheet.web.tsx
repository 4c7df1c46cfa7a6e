import { useState } from 'react';
import { site } from '../../../ui/brand.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { download } from './download.web.ts';
import { groupCode } from './recovery-codes.web.ts';

interface RecoveryCodeSheetProps {
  readonly codes: readonly string[];
  readonly busy: boolean;
  readonly onKept: () => void;
}

/** New recovery codes, which are shown only once, with the ways to keep them. */
export function RecoveryCodeSheet({ codes, busy, onKept }: RecoveryCodeSheetProps) {
  const [copied, setCopied] = useState(false);
  const lines = codes.map(groupCode);
  const text = `Recovery codes of ${location.host}\nEach works once.\n\n${lines.join('\n')}\n`;
  return (
    <div className="codes-sheet">
      <p className="codes-of">Recovery codes of your account with {site.brand}</p>
      <ul className="codes num" aria-label="Your recovery codes">
        {lines.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <p className="meta" role="status">
        These codes are shown only now.
      </p>
      <p className="codes-acts">
        <Button
          small
          look="quiet"
          onClick={() => void navigator.clipboard?.writeText(text).then(() => setCopied(true))}
        >
          {copied ? 'Copied' : 'Copy'}
        </Button>
        <Button
          small
          look="quiet"
          onClick={() => download('recovery-codes.txt', new Blob([text], { type: 'text/plain' }))}
        >
          Download
        </Button>
        <Button small look="quiet" onClick={() => print()}>
          Print
        </Button>
      </p>
      <Button look="signal" busy={busy} onClick={onKept}>
        I have kept them
      </Button>
    </div>
  );
}
