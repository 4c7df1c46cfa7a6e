import type { Attack } from './attack.ts';

/** Attacks on the operation of an installation. */
export const ON_OPERATION: readonly Attack[] = [
  {
    number: 49,
    attack: 'Injection into the log, secrets in it',
    holds: 'Line breaks and ANSI codes stay inside one entry, and no secret of a run is in its log.',
    tests: [
      'tests/security/log-secrets.test.ts | a run with every kind of secret, right and wrong, leaves none of them in the log',
      'tests/security/log-secrets.test.ts | parts of a route’s address that prove a right',
    ],
  },
  {
    number: 50,
    attack: 'Crashes, full disks, clocks and locks',
    holds:
      'Killed at 1,000 random moments, a full or read-only disk, the clock set back an hour, a locked database: nothing fails open, no accepted work is lost, the error can be read, and the product recovers by itself.',
    tests: [
      'tests/crash/run.ts | The books are right.',
      'tests/crash/kill-deliveries.ts | lost',
      'tests/process/refuse-to-start.test.ts | a data folder that cannot be written',
      'tests/process/full-disk.soak.test.ts | a full disk, also for the write-ahead log',
      'tests/surroundings/run.ts | the clock is an hour behind',
      'tests/surroundings/run.ts | a table is locked',
    ],
  },
  {
    number: 51,
    attack: 'A tampered backup, or one of a newer schema',
    holds: 'Refused with the reason; an older schema is migrated.',
    tests: [
      'src/business/backup/backup.test.ts | attack 51: a backup of an older schema is restored',
      'src/business/backup/backup.test.ts | attack 51: what is not restored',
    ],
  },
  {
    number: 52,
    attack: 'The operator console',
    holds:
      'Cross-site requests, frames, stored markup from enquiries, file names and transcripts, acting as somebody without notice or audit: blocked.',
    tests: [
      'src/business/console/operator-actions.test.ts | nobody but operators, whatever they ask',
      'src/business/console/colleagues/colleagues.test.ts | counts once, for a week, for its own address, from an owner, and the newest one only',
      'src/business/console/colleagues/colleagues.test.ts | is lowered and taken away at once, in pages and for keys that were made before',
      'src/business/console/colleagues/colleagues.test.ts | of the last owner stays: neither lowered, nor removed, nor left, nor deleted with the account',
      'src/business/console/colleagues/colleagues.test.ts | lets a reader change nothing, past the server too, and shows logs and keys to owners only',
      'src/business/console/settings/setting-functions.test.ts | the product is started anew for what waits, by a trusted owner, where somebody starts it again',
      'tests/journeys/operator-console.test.ts | visitors’ words are text',
      'src/voice/console/call-list.test.ts | nobody but operators sees calls or does anything to them',
      'src/voice/console/headset/headset.test.ts | nobody but operators hears or directs a call, and a pass opens one socket of its own call',
      'src/voice/console/headset/headset.test.ts | who is no operator any more, or signed out, hears nothing more, and the assistant goes on',
      'src/voice/console/assistants/assistant-editor.test.ts | nobody but operators sees assistants or does anything to them',
      'src/voice/console/evaluations/assistant-tests.test.ts | nobody but operators sees, writes or runs tests',
    ],
  },
  {
    number: 53,
    attack: 'The supply chain',
    holds:
      'A changed lock file, install scripts or an unsigned release fail the build, and the difference of the bill of materials is shown.',
    tests: [
      'tests/lock-file.test.ts | every package that runs on this platform has its hash in the lock file',
      'tests/lock-file.test.ts | no package runs scripts when it is installed',
      'tests/process/release.soak.test.ts | two releases of the same sources are the same bytes',
      'tests/process/release.soak.test.ts | the bill of materials names its parts',
    ],
    notBuilt:
      'Releases have checksums and no signature; 33 packages for other platforms have no hash in the lock file, since the registry that made it has them not.',
  },
  {
    number: 54,
    attack: 'A stolen password of an account with a second factor',
    holds:
      'The session is aal1: it reads, hears, stores, deletes and spends nothing of the account, and no function about the account answers it, until the factor was given.',
    tests: [
      'tests/security/second-factor.test.ts | attack 54: ',
      'src/business/messages/messages.test.ts | before the second factor a session reads, writes and withdraws nothing of the thread',
      'src/business/avatars/avatars.test.ts | before the second factor a session neither sees nor changes the picture',
    ],
  },
];
