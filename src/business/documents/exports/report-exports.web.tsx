import { Download } from 'lucide-react';
import { useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { CallRefused, callServer } from '../../../ui/session/server-call.ts';
import { EXPORT_FORMATS, EXPORT_REPORT, type ExportFormat } from './report-export.contract.ts';

/** The formats in which a report can be exported. */
export function ReportExports({ fileId, fileName }: { fileId: string; fileName: string }) {
  const [busy, setBusy] = useState<ExportFormat>();
  const save = async (format: ExportFormat): Promise<void> => {
    setBusy(format);
    try {
      const reply = await callServer(`${EXPORT_REPORT}?file_id=${fileId}&format=${format}`, { as: 'user' });
      saveAs(await reply.blob(), `${fileName.replace(/\.[^.]+$/, '')} report.${format}`);
    } catch (error) {
      const said = error instanceof CallRefused ? error.sentence : undefined;
      toast.error(said ?? 'The report could not be saved. Try again.');
    } finally {
      setBusy(undefined);
    }
  };
  return (
    <ul className="take-away">
      {Object.entries(EXPORT_FORMATS).map(([format, name]) => (
        <li key={format}>
          <button
            type="button"
            className="take"
            aria-busy={busy === format || undefined}
            onClick={() => void save(format as ExportFormat)}
          >
            <Download size={16} aria-hidden="true" />
            {name}
          </button>
        </li>
      ))}
    </ul>
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
