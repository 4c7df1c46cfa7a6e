/** Plays `track`; the returned function ends it. */
export type PlayTrack = (track: MediaStreamTrack, participantId: string) => () => void;

/**
 * Plays in an `<audio data-participant-id=…>` at the end of the body. A browser that refuses to play
 * before a gesture is told to `refused`, so that the page can ask for one.
 */
export function playInPage(refused: (error: unknown) => void): PlayTrack {
  return (track, participantId) => {
    const player = document.createElement('audio');
    player.dataset.participantId = participantId;
    player.autoplay = true;
    player.srcObject = new MediaStream([track]);
    document.body.append(player);
    player.play().catch(refused);
    return () => {
      player.srcObject = null;
      player.remove();
    };
  };
}
