import { useEffect, useState } from 'react';
import { supabase } from '../../../ui/session/client.ts';
import { analyzeFile } from '../actions/file-analysis.web.ts';

/** In the metadata of the account, so that the choice holds on every device. */
const KEY = 'analyze_on_upload';

async function isWanted(): Promise<boolean> {
  const { auth } = await supabase();
  // The account itself: what the browser holds of it may be older than a choice on another device.
  const { data } = await auth.getUser();
  return data.user?.user_metadata[KEY] === true;
}

/**
 * Has a document that was just stored analysed, where the account wishes that.
 *
 * @param storedPath where its object lies
 * @returns whether it was asked for
 * @throws Error with the sentence for the user
 */
export async function analyzeArrived(storedPath: string): Promise<boolean> {
  if (!(await isWanted())) return false;
  const client = await supabase();
  const { data } = await client.from('user_files').select('id').eq('file_path', storedPath).maybeSingle();
  // Deleted meanwhile, on another page.
  if (data === null) return false;
  await analyzeFile(data);
  return true;
}

/** Whether documents are analysed as soon as they have arrived; off until somebody switches it on. */
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
        <span>Analyse documents as they arrive</span>
      </label>
      {refused && (
        <p className="fault" role="alert">
          The choice could not be kept. Please try again.
        </p>
      )}
    </div>
  );
}
