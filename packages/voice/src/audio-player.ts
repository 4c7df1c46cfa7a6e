/** Plays `track`; the returned function ends it. */
export type PlayTrack = (track: MediaStreamTrack, participantId: string) => () => void;

const GESTURES = ['pointerdown', 'keydown'] as const;

/**
 * Plays in an `<audio data-participant-id=…>` at the end of the body. If the browser refuses to play before a
 * gesture, as phones do, `refused` is called, and the next gesture tries again.
 */
export function playInPage(refused: (error: unknown) => void): PlayTrack {
  return (track, participantId) => {
    const player = document.createElement('audio');
    player.dataset.participantId = participantId;
    player.autoplay = true;
    player.srcObject = new MediaStream([track]);
    document.body.append(player);
    const again = (): void => {
      forget();
      player.play().catch(refused);
    };
    const forget = (): void => {
      for (const gesture of GESTURES) removeEventListener(gesture, again, true);
    };
    player.play().catch((error: unknown) => {
      if (!player.isConnected) return;
      for (const gesture of GESTURES) addEventListener(gesture, again, true);
      refused(error);
    });
    return () => {
      forget();
      player.srcObject = null;
      player.remove();
    };
  };
}
