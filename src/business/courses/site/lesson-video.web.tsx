import { Play } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/parts/button.tsx';

/** A player that asks for the video's address when it is wanted; the browser fetches it in ranges. */
export function LessonVideo({ title, addressOf }: { title: string; addressOf: () => Promise<string> }) {
  const [address, setAddress] = useState<string>();
  const [state, setState] = useState<'idle' | 'asking' | 'failed'>('idle');
  const watch = async (): Promise<void> => {
    setState('asking');
    try {
      setAddress(await addressOf());
      setState('idle');
    } catch {
      setState('failed');
    }
  };
  if (address !== undefined && state !== 'failed') {
    return (
      // biome-ignore lint/a11y/useMediaCaption: a customer's raw lesson has no captions yet
      <video
        className="lesson-video"
        controls
        autoPlay
        preload="metadata"
        aria-label={`Video ${title}`}
        src={address}
        onError={() => setState('failed')}
      />
    );
  }
  return (
    <div className="lesson-watch">
      <Button small look="quiet" busy={state === 'asking'} onClick={() => void watch()}>
        <Play size={18} aria-hidden="true" />
        Watch
      </Button>
      {state === 'failed' && (
        <p className="fault" role="alert">
          The video could not be played. Please try again.
        </p>
      )}
    </div>
  );
}
