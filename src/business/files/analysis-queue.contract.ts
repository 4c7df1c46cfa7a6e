/** Where one of the user's documents is on its way through our own analyser. */
export interface QueuePlace {
  readonly file_id: string;
  /** 1 for the next document that is read; null while it is being read. */
  readonly place: number | null;
  /** Seconds until it is read whole, by the time that documents of its size took lately. */
  readonly seconds: number;
  /** The page that is being read from its picture, and how many there are; null if there are none. */
  readonly page: number | null;
  readonly pages: number | null;
}

/** Answer of the function `analysis-queue`: documents that wait or are being read, in the order of the queue. */
export interface AnalysisQueue {
  readonly documents: readonly QueuePlace[];
}
