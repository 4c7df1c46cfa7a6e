/** Bounds of the realtime service (docs/security-attacks.md, attacks 45 and 46). Times in milliseconds. */
export const REALTIME_LIMITS = {
  socketsPerProcess: 20_000,
  /**
   * Enough for the people of a company behind one address, with some tabs each. Not applied with
   * RATE_LIMITS=false.
   */
  socketsPerAddress: 300,
  channelsPerSocket: 100,
  changesPerChannel: 50,
  /** Largest frame from a client, bytes. */
  frameBytes: 256 * 1024,
  topicBytes: 255,
  /** Frames from one socket: a burst, and how many per second in the long run. */
  frameBurst: 500,
  framesPerSecond: 100,
  /** Bytes that may wait for a slow client before its changes are replaced by a resync. */
  waitingBytes: 1024 * 1024,
  /** A client that has not read for this long is cut off. */
  slow: 20_000,
  /** A client sends a heartbeat every 25 s. */
  silence: 75_000,
  sweep: 5_000,
  /**
   * How often we check whether a followed table was dropped and created anew, where the database does not
   * report that.
   */
  tableLook: 5_000,
  /** How often every token is checked again, even without a notification. */
  tokenCheck: 30_000,
  /** Changes that may wait for one subscriber's reads before they are replaced by a resync. */
  waitingChanges: 5_000,
  /** How long changes are kept for clients that were away, and how many at most. */
  logAge: 3_600_000,
  logRows: 50_000,
  /** Changes that a client may have missed before it has to read again. */
  missedChanges: 5_000,
  /** A client that uses cursors is sent its current one at most this often. */
  cursorPause: 1_000,
  /** Changes that are read at once. */
  readBatch: 200,
  /** Reads that run at once, on their own connections (`Database.realtime`). */
  reads: 4,
  httpMessages: 100,
} as const;
