import { LIMITS } from '../../../kernel/contract/limits.ts';
import { type FileFamily, UPLOAD_TYPES } from '../../../platform/storage/content/upload-types.contract.ts';
import { listTogether } from '../agency-knowledge.server.ts';
import type { Topic } from './topic-answer.server.ts';

const MEGABYTE = 1024 * 1024;
/** The names of the kinds of documents when they are read aloud; Word has several extensions. */
const KINDS: Readonly<Record<string, string>> = {
  pdf: 'PDF',
  doc: 'Word',
  odt: 'ODT',
  rtf: 'RTF',
  txt: 'plain text',
  xlsx: 'Excel',
  pptx: 'PowerPoint',
  csv: 'CSV',
  jpg: 'JPEG',
  png: 'PNG',
  webp: 'WebP',
  gif: 'GIF',
  tif: 'TIFF',
};
const kindsOf = (wanted: FileFamily): string =>
  listTogether(
    UPLOAD_TYPES.filter(({ family, isRead }) => isRead && family === wanted).flatMap(
      ({ extension }) => KINDS[extension] ?? [],
    ),
  );
const ACCEPTED = kindsOf('document');
const PICTURES_ACCEPTED = kindsOf('image');
const LARGEST = `${LIMITS.uploadBytes / MEGABYTE} megabytes`;
const OTHER_KINDS = /\b(audio|music|handwritten|hand written)\b/;
const OFFICE = /\b(excel|spreadsheets?|power ?point|slides|presentations?|csv)\b/;
const PICTURES = /\b(images?|pictures?|photos?|photographs?|jpegs?|scanned|scans?)\b/;
const FILE = /\b(files?|documents?|contracts?|papers?|p d f|pdfs?)\b/;

/** Documents: kinds, sizes, reports and safety (docs/specification/site.md §2, §5). */
export const DOCUMENT_TOPICS: readonly Topic[] = [
  {
    id: 'file-kinds',
    cues: [
      [/\b(pdfs?|p d f|word|scanned|scans?|text|docx|odt|rtf|formats?)\b/, 3],
      [OTHER_KINDS, 3],
      [PICTURES, 3],
      [OFFICE, 3],
      [
        /\b(read|accept|support|supported|take|handle|upload|send|work with|analyz\w*|types?|kinds?|formats?)\b/,
        1,
      ],
      [FILE, 1],
      [
        /\b(file|document) (types?|kinds?|formats?)\b|\b(kinds?|types?|sorts?|formats?) of (a )?(documents?|files?)\b/,
        4,
      ],
    ],
    answer: (words) =>
      OTHER_KINDS.test(words)
        ? `No, I am afraid not. You can upload ${ACCEPTED} files.`
        : PICTURES.test(words)
          ? `Yes. Scans and photographs of documents are read too, as PDF or as ${PICTURES_ACCEPTED}.`
          : `${OFFICE.test(words) ? 'Yes. ' : ''}You can upload ${ACCEPTED} files of up to ${LARGEST} each.`,
  },
  {
    id: 'file-size',
    cues: [
      [/\b(how (big|large)|biggest|largest|maximum|max|too (big|large)|size limit|file size)\b/, 4],
      [FILE, 2],
      [/\bupload\b/, 1],
    ],
    answer: (words) =>
      FILE.test(words) || /\bupload\b/.test(words) ? `A file may have up to ${LARGEST}.` : null,
  },
  {
    id: 'upload',
    cues: [
      [/\b(upload|send|submit|hand in)\b|\bget\b.*\b(to|into) (you|the|your)\b/, 2],
      [/\b(how|where|document|documents|file|files|contract)\b/, 1],
      [/\bhow (do|can|would|should) i (upload|send|submit|get)\b/, 1],
    ],
    answer: (words) =>
      FILE.test(words) || /\bupload\b/.test(words)
        ? 'Sign in, open the dashboard and press Upload Files. Then press Analyze beside the file, and the report appears when it is ready.'
        : null,
  },
  {
    id: 'delete-file',
    cues: [
      [/\b(delete|remove|erase|get rid of)\b/, 3],
      [FILE, 3],
    ],
    answer: (words) =>
      FILE.test(words) && /\b(delete|remove|erase|get rid of)\b/.test(words)
        ? 'Press Delete beside the file in your dashboard. It is then removed from the dashboard and from our servers, and cannot be brought back.'
        : null,
  },
  {
    id: 'analysis-time',
    cues: [
      [/\bhow (long|fast|quick|quickly|soon)\b|\bwhen\b/, 2],
      [/\b(analys\w*|analyz\w*|reports?|results?)\b/, 4],
    ],
    answer: (words) =>
      /\b(how|when)\b/.test(words) && /\b(analys\w*|analyz\w*|reports?|results?)\b/.test(words)
        ? 'Most reports are ready in less than a minute; you see the progress while you wait.'
        : null,
  },
  {
    id: 'example-report',
    cues: [
      [/\b(example|sample|demo|look like)\b/, 3],
      [/\breport\b/, 2],
      [
        /\bwhat\b.*\b(reports?|analys[ie]s)\b.*\b(tell|tells|say|says|show|shows|contain|contains|include)\b/,
        3,
      ],
      [/\bwhat('s| is| do i get| will i get| would i get)? in (a|the|my) (report|analysis)\b/, 3],
    ],
    answer: () =>
      'A report names the kind of document, its key facts and what needs attention, and every claim points to its place in the text. The home page shows one.',
  },
  {
    id: 'data-safety',
    cues: [
      [
        /\b(safe|safely|secure|security|private|privacy|encrypted|encryption|confidential|gdpr|data protection|protected|trust you|leak\w*)\b/,
        4,
      ],
      [/\bwho (else )?(can|could|will|might) (see|read|look|access|open)\b/, 6],
      [
        /\b(can|could) (anyone|anybody|others|other people|your (staff|team|people)) (see|read|look|access|open)\b/,
        6,
      ],
      [
        /\bwhere (is|are|do) (my|our|the|you)\b.*\b(stored|kept|held|hosted|store|keep|data|documents|files)\b/,
        6,
      ],
      [/\b(data|documents|files|information)\b/, 1],
    ],
    answer: () =>
      "Your documents are kept on the agency's own server, only you can open them, and when you delete a file it is removed from the dashboard and the servers.",
  },
];
