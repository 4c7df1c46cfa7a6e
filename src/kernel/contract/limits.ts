/**
 * The numbers of docs/specification/site.md §9 and docs/specification/platform.md §9. Times are in
 * milliseconds unless the name says otherwise.
 */
export const LIMITS = {
  /** Largest upload, bytes (docs/specification/platform.md §5). */
  uploadBytes: 100 * 1024 * 1024,
  /** Largest course video, bytes; the storage of a plan usually allows less. */
  courseVideoBytes: 4 * 1024 * 1024 * 1024,
  /** Largest recording of a call, bytes: the limit of its bucket (docs/contracts/voice.md §8). */
  recordingBytes: 512 * 1024 * 1024,
  signedUrlSeconds: 3600,
  storageCacheSeconds: 3600,
  creditsPerUpload: 1,
  splash: 2000,
  successRedirect: 3000,
  statisticsRefresh: 30_000,
  fileChangeRefresh: 100,
  creditErrorToast: 6000,
  carousel: 7000,
  storageWarnPercent: 75,
  storageDangerPercent: 90,
  enquiryReplyHours: 24,
} as const;

/** The bucket of customers' documents (docs/specification/site.md §7). */
export const UPLOADS_BUCKET = 'user-uploads';

/** The bucket of course customers' videos (docs/specification/site.md §10). */
export const COURSE_VIDEOS_BUCKET = 'course-videos';

/** The description of the credit that a lesson takes. */
export const COURSE_CREDIT_DESCRIPTION = 'Course Video';

/** The description of the credit that an upload takes (docs/specification/site.md §7). */
export const CREDIT_DESCRIPTION = 'Document Analysis';
