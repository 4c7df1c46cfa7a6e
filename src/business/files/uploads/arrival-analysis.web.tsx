import { useEffect, useState } from 'react';
import { supabase } from '../../../ui/session/client.ts';
import { analyzeFile } from '../actions/file-analysis.web.ts';

/** Key in the account's metadata, so that the choice applies on every device. */
const KEY = 'analyze_on_upload';

async function isWanted(): Promise<boolean> {
  const { auth } = await supabase();
  // Reads the account from the server: the browser's copy may be older than a choice on another device.
  const { data } = await auth.getUser();
  return data.user?.user_metadata[KEY] === true;
}

/**
 * Requests the analysis of a document that was just stored, if the account has chosen that.
 *
 * @param storedPath the path of its object
 * @returns whether it was requested
 * @throws Error with the sentence for the user
 */
export async function analyzeArrived(storedPath: string): Promise<boolean> {
  if (!(await isWanted())) return false;
  const client = await supabase();
  const { data } = await client.from('user_files').select('id').eq('file_path', storedPath).maybeSingle();
  // Deleted in the meantime, on another page.
  if (data === null) return false;
  await analyzeFile(data);
  return true;
}

/** Whether documents are analysed as soon as they have arrived; off by default. */
export function ArrivalSwitch() {
  const [on, setOn] = useState<boolean>();
  const [refused, setRefused] = useState(false);
  useEffect(() => void isWanted().then(setOn), []);
  const change = async (wanted: boolean): Promise<void> => {
    setOn(wanted);
    setRefused(false);
    const { auth } = await supabase();
    const { error } = await auth.updateUser({ data: { [KEY]: wanted } });
    if (error === null) return;
    setOn(!wanted);
    setRefused(true);
  };
  return (
    <div className="arrival">
      <label>
        <input
          type="checkbox"
          checked={on === true}
          disabled={on === undefined}
          onChange={({ currentTarget }) => void change(currentTarget.checked)}
        />
        <span>Analyze documents as they arrive</span>
      </label>
      {refused && (
        <p className="fault" role="alert">
          The choice could not be kept. Please try again.
        </p>
      )}
    </div>
  );
}
