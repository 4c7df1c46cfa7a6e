import { Download } from 'lucide-react';
import { useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { CallRefused, callServer } from '../../../ui/session/server-call.ts';
import {
  EXPORT_FORMATS,
  EXPORT_REPORT,
  type ExportFormat,
  SEARCHABLE_PDF,
} from './report-export.contract.ts';

interface ReportExportsProps {
  readonly fileId: string;
  readonly fileName: string;
  /** Whether pages of the document were read from pictures. */
  readonly isScan: boolean;
  /** Whether the report has days for a calendar. */
  readonly hasDays: boolean;
}

/** The formats in which a report can be exported, and for a scan the document itself with its words. */
export function ReportExports({ fileId, fileName, isScan, hasDays }: ReportExportsProps) {
  const [busy, setBusy] = useState<ExportFormat | 'searchable'>();
  const stem = fileName.replace(/\.[^.]+$/, '');
  const save = async (format: ExportFormat | 'searchable'): Promise<void> => {
    setBusy(format);
    const [address, name] =
      format === 'searchable'
        ? [`${SEARCHABLE_PDF}?file_id=${fileId}`, `${stem} searchable.pdf`]
        : [`${EXPORT_REPORT}?file_id=${fileId}&format=${format}`, `${stem} report.${format}`];
    try {
      const reply = await callServer(address, { as: 'user' });
      saveAs(await reply.blob(), name);
    } catch (error) {
      const said = error instanceof CallRefused ? error.sentence : undefined;
      toast.error(said ?? 'The file could not be saved. Try again.');
    } finally {
      setBusy(undefined);
    }
  };
  return (
    <ul className="take-away">
      {Object.entries(EXPORT_FORMATS)
        .filter(([format]) => format !== 'ics' || hasDays)
        .map(([format, name]) => (
          <li key={format}>
            <SaveButton name={name} busy={busy === format} onSave={() => save(format as ExportFormat)} />
          </li>
        ))}
      {isScan && (
        <li>
          <SaveButton
            name="The scan as a searchable PDF"
            busy={busy === 'searchable'}
            onSave={() => save('searchable')}
          />
        </li>
      )}
    </ul>
  );
}

function SaveButton({ name, busy, onSave }: { name: string; busy: boolean; onSave: () => Promise<void> }) {
  return (
    <button type="button" className="take" aria-busy={busy || undefined} onClick={() => void onSave()}>
      <Download size={16} aria-hidden="true" />
      {name}
    </button>
  );
}

/** Lets the browser save bytes under a name. */
export function saveAs(bytes: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(bytes);
  link.download = name;
  link.hidden = true;
  document.body.append(link);
  link.click();
  link.remove();
  // By then the browser has its own copy of the bytes.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
