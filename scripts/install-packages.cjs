// Packages of the system that the product can use: installed where that may be done.
'use strict';
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');

/** Without a network the set-up goes on without the packages. */
const PATIENCE_MS = 180_000;
const SPEECH_MODEL = '/usr/share/pocketsphinx/model/en-us/en-us.lm.bin';
const SPEECH_PACKAGES = ['libpocketsphinx3', 'pocketsphinx-en-us'];

/**
 * Installs Debian packages as root; says what it does and when it could not.
 *
 * @param {string} what what they are for, as a name
 * @param {readonly string[]} packages
 * @returns {boolean} whether they were installed
 */
function installPackages(what, packages) {
  if (process.geteuid?.() !== 0) {
    process.stderr.write(
      `${what} is not installed and only root may install it: apt-get install ${packages.join(' ')}\n`,
    );
    return false;
  }
  process.stderr.write(`Installing ${what} ...\n`);
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  let status = 1;
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', ...packages]]) {
    ({ status } = spawnSync('apt-get', args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: environment,
      timeout: PATIENCE_MS,
    }));
    if (status !== 0) process.stderr.write(`apt-get ${args[0]} did not succeed.\n`);
  }
  return status === 0;
}

/** The phone assistant understands speech with PocketSphinx; without it callers type. */
function installSpeechRecognition() {
  if (process.platform !== 'linux' || fs.existsSync(SPEECH_MODEL)) return;
  if (process.geteuid?.() === 0 && !fs.existsSync('/usr/bin/apt-get')) return;
  installPackages('Speech recognition', SPEECH_PACKAGES);
}

module.exports = { installPackages, installSpeechRecognition };
