import { type RefObject, useEffect, useRef, useState } from 'react';
import type { RecordingAddresses } from '../call-list.contract.ts';

interface PlayerProps {
  readonly addresses: RecordingAddresses;
  /** The words as WebVTT; undefined where there are none. */
  readonly captions: (() => string) | undefined;
  readonly player: RefObject<HTMLMediaElement | null>;
  readonly onTime: (seconds: number) => void;
  readonly onFail: () => void;
}

/**
 * Plays a recording: picture and sound in one, the sound alone, or the sound with a picture that follows it.
 */
export function CallPlayer({ addresses, captions, player, onTime, onFail }: PlayerProps) {
  const { url, video, picture_url: picture } = addresses;
  const words = useCaptions(video ? captions : undefined);
  const shown = useRef<HTMLVideoElement>(null);
  // The player with its picture is larger than the button that opened it.
  useEffect(() => {
    // Newer browsers return a promise, which must not be returned as a clean-up function.
    void (shown.current ?? player.current)?.scrollIntoView({ block: 'nearest' });
  }, [player]);
  const playing = {
    controls: true,
    autoPlay: true,
    preload: 'metadata',
    src: url,
    onTimeUpdate: ({ currentTarget }: { currentTarget: HTMLMediaElement }) =>
      onTime(currentTarget.currentTime),
    onError: onFail,
  } as const;
  if (video)
    return (
      <video
        {...playing}
        ref={player as RefObject<HTMLVideoElement | null>}
        playsInline
        aria-label="Video of the call"
      >
        {words !== undefined && <track kind="captions" srcLang="en" label="What was said" src={words} />}
      </video>
    );
  const follow = (): void => followSound(player.current, shown.current);
  return (
    <>
      {picture !== null && (
        <video
          ref={shown}
          muted
          playsInline
          preload="auto"
          aria-label="Picture of the call"
          src={picture}
          onLoadedData={follow}
        />
      )}
      <audio
        {...playing}
        ref={player as RefObject<HTMLAudioElement | null>}
        aria-label="Recording of the call"
        onTimeUpdate={(event) => {
          playing.onTimeUpdate(event);
          follow();
        }}
        onPlay={follow}
        onPause={follow}
        onSeeked={follow}
        onRateChange={follow}
      />
    </>
  );
}

/** An address for the captions, as long as they are shown. */
function useCaptions(captions: (() => string) | undefined): string | undefined {
  const [address, setAddress] = useState<string>();
  // The words of a finished call do not change any more.
  const [text] = useState(captions);
  useEffect(() => {
    if (text === undefined) return;
    const made = URL.createObjectURL(new Blob([text], { type: 'text/vtt' }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [text]);
  return address;
}

/** A picture that is further than this from its sound is corrected; a smaller difference is not visible. */
const DRIFT_SECONDS = 0.25;

/** Lets a silent picture follow its sound. If it is shorter, its last frame stays. */
function followSound(sound: HTMLMediaElement | null, picture: HTMLVideoElement | null): void {
  if (sound === null || picture === null || picture.readyState === HTMLMediaElement.HAVE_NOTHING) return;
  const at = Math.min(sound.currentTime, picture.duration);
  if (Math.abs(picture.currentTime - at) > DRIFT_SECONDS) picture.currentTime = at;
  picture.playbackRate = sound.playbackRate;
  if (sound.paused || at >= picture.duration) picture.pause();
  // `play` rejects when the picture is paused again before it plays; the next second tries again.
  else if (picture.paused) picture.play().catch(() => undefined);
}
