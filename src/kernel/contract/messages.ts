/**
 * The exact sentences of docs/specification/site.md §8 and docs/specification/platform.md §8, in one place
 * for the browser and the server.
 */
export const MESSAGES = {
  login: {
    invalid: 'Invalid email or password. Please check your credentials and try again.',
  },
  signup: {
    exists: 'This email is already registered. Please log in or use a different email address.',
    mismatch: 'Passwords do not match',
    /**
     * Not in the specification: shown on the sign-up page and in an empty list where FREE_CREDITS gives any.
     */
    free: (count: number) =>
      `Your account comes with ${count} free ${count === 1 ? 'document' : 'documents'}.`,
  },
  checkout: {
    loading: 'Initializing checkout...',
    failed: 'Failed to create checkout session',
    noUrl: 'No checkout URL received',
    unavailable: 'Unable to start checkout process. Please try again later.',
    /** Not in the specification: the account's owner has asked for its deletion, which ends what is bought. */
    leaving: 'Your account will be deleted soon. Keep the account before you buy anything.',
    /** Not in the specification: shown under prices where the agency accounts for VAT. */
    vatNote: 'Prices include VAT where it is due.',
  },
  linkCustomer: { failed: 'Failed to link customer' },
  news: {
    failed: 'Failed to fetch news',
    heading: 'Unable to load news',
    text: 'Unable to load news updates. Please try again later.',
  },
  upload: {
    unsupported:
      'Unsupported file type. Please upload one of the following:\nDocuments: PDF, DOC, DOCX, ODT, RTF, TXT',
    /** The second sentence: formats that the reader has learnt since the specification was written. */
    unsupportedFurther:
      'Also read: DOCM, XLSX, PPTX, ODS, ODP, CSV, MD, HTML, EML, MSG, and scans and photographs as JPEG, PNG, WebP, GIF or TIFF',
    accountStatus: 'Failed to check account status. Please try again or contact support.',
    noCredits: 'Insufficient credits. Please purchase more credits to analyze documents.',
    noPlan: 'No active subscription or credits found. Please subscribe or purchase credits to upload files.',
    badStatus: (status: string) =>
      `Your subscription status is "${status}" and you have no credits. Please check your billing status or purchase credits.`,
    creditsFailed: 'Failed to process credits. Please try again.',
    failed: 'Failed to upload file',
    tooLarge: 'File size exceeds the maximum limit of 100MB',
    typeNotSupported: 'File type not supported',
    done: 'Document uploaded successfully',
    doneMany: (count: number) => `${count} documents uploaded successfully`,
    offline: 'You are offline. The upload goes on when the connection is back.',
    lostLine: 'The connection was lost. The upload goes on by itself.',
  },
  call: {
    starting: 'Initiating call...',
    started: 'Call initiated successfully',
    notStarted: 'Failed to initiate call',
    failed: 'An error occurred during the call',
  },
  download: {
    noUrl: 'Failed to generate download URL',
    failed: 'Failed to download file',
    tooMuch: 'These files are more than 1 GB together. Choose fewer and download them one after another.',
  },
  analysis: {
    noUrl: 'Analysis URL not available',
    noFileUrl: 'Failed to generate file URL for analysis',
    failed: 'Failed to start document analysis',
    requestFailed: (status: number, body: string) => `Analysis request failed: ${status} - ${body}`,
    started: "Document analysis started! We'll notify you when it's ready.",
    startedMany: (count: number) =>
      `Analysis of ${count} documents started! We'll notify you when they are ready.`,
    missing: 'File not found in storage. The file record has been removed from your list.',
  },
  delete: {
    notInList: 'File not found in local state',
    database: (text: string) => `Database error: ${text}`,
    failed: 'Failed to delete file',
    done: 'File deleted successfully',
    doneMany: (count: number) => `${count} files deleted successfully`,
    loginAgain: 'Please log in again',
    notAuthenticated: 'Authentication failed',
    required: 'Authentication required for file deletion',
  },
  listing: { failed: 'Failed to load files' },
  enquiry: {
    failed: 'Failed to submit enquiry. Please try again.',
    courseFailed: 'Failed to submit inquiry. Please try again.',
    mailFailed: 'Failed to send enquiry email',
    courseMailFailed: 'Failed to send course inquiry email',
  },
} as const;
