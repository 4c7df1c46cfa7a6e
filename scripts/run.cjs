// The entry of every npm script. Plain old JavaScript, so that it runs under any Node on the machine: it
// installs what package-lock.json names, finds the Node that the product needs (an npm dependency), and
// continues there.
'use strict';
const { spawnSync, spawn } = require('node:child_process');
const crypto = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const NEEDED_MAJOR = 24;
/** The first minor version whose servers can ignore an offer of another protocol (`shouldUpgradeCallback`). */
const NEEDED_MINOR = 9;
// npm 9 cannot read overrides that put another package in a package's place.
const NEEDED_NPM_MAJOR = 10;
// Fetched where the machine's own npm or Node is too old to install with.
const NPM = {
  version: '11.19.1',
  integrity:
    'sha512-ztsxKxt/kkIaAs+2i0GU6I+DRmUdrNasxTZKJe9TCdSjKxlhah/4r/hl5ygMD6XAg1qZ9c2TNomR4qgOydp10g==',
};
const NODE_PACKAGE = `node-${process.platform}-${process.arch}`;
const [major, minor] = process.versions.node.split('.').map(Number);
const isNewNode = major > NEEDED_MAJOR || (major === NEEDED_MAJOR && minor >= NEEDED_MINOR);
const root = path.resolve(__dirname, '..');
const modules = path.join(root, 'node_modules');
const stamp = path.join(modules, '.installed-lock');

function stop(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

function lockHash() {
  return crypto
    .createHash('sha256')
    .update(fs.readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex');
}

/** What a lock file names: place, as `node_modules/pg`, to version, integrity and platforms. */
function packagesIn(lockFile) {
  return JSON.parse(fs.readFileSync(path.join(root, lockFile), 'utf8')).packages;
}

function installed() {
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === lockHash()) return true;
  if (!installedByHand()) return false;
  try {
    fs.writeFileSync(stamp, lockHash());
  } catch {
    // The folder belongs to another account: the list is read again at the next start.
  }
  return true;
}

/** Whether a person's own `npm ci` or `npm install` installed everything: npm leaves a list of what is there. */
function installedByHand() {
  let found;
  try {
    found = packagesIn('node_modules/.package-lock.json');
  } catch {
    // It is not there, or an npm is writing it.
    return false;
  }
  return Object.entries(packagesIn('package-lock.json')).every(([place, wanted]) => {
    if (place === '') return true;
    const there = found[place];
    if (there === undefined) return wanted.optional === true && !isForThisMachine(place, wanted);
    return there.version === wanted.version && there.integrity === wanted.integrity;
  });
}

/** An npm that runs under an old Node leaves optional packages out that this machine needs, such as the bundler's binary. */
function isForThisMachine(place, { os: systems, cpu: processors }) {
  if (systems === undefined && processors === undefined) return false;
  const names = (list, own) => list === undefined || [].concat(list).includes(own);
  return names(systems, process.platform) && names(processors, process.arch) && !place.includes('musl');
}

function installIfNeeded() {
  if (installed()) return;
  // Two simultaneous first starts would delete each other's node_modules.
  const lock = path.join(root, '.installing');
  while (!claim(lock)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  try {
    if (!installed()) install();
  } finally {
    fs.rmSync(lock, { force: true });
  }
}

function claim(lock) {
  try {
    fs.writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') stop(`The folder ${root} cannot be written: ${error.message}`);
    try {
      process.kill(Number(fs.readFileSync(lock, 'utf8')), 0);
    } catch (gone) {
      if (gone.code === 'ESRCH') fs.rmSync(lock, { force: true });
    }
    return false;
  }
}

function install() {
  process.stderr.write('Installing dependencies (once per lock file) ...\n');
  const isOwnEnough = isNewNode && !npmIsOld();
  const status = isOwnEnough ? npmCi(root, ownNpm()) : installWithFetched();
  if (status !== 0) {
    fs.rmSync(path.join(root, '.installing'), { force: true });
    stop("The dependencies could not be installed: see npm's message above, then run the command again.");
  }
  fs.writeFileSync(stamp, lockHash());
}

/**
 * Fetches Node and npm into a folder of their own and installs with them: npm leaves out optional packages that do not
 * run on the Node that it runs under. The folder's lock file repeats the hash of each, so that npm checks it.
 */
function installWithFetched() {
  const folder = path.join(root, '.installing-tools');
  const dependencies = { npm: NPM.version };
  const packages = { '': { dependencies }, 'node_modules/npm': NPM };
  if (!isNewNode) {
    const { version, integrity } = lockedNode();
    dependencies[NODE_PACKAGE] = version;
    packages[`node_modules/${NODE_PACKAGE}`] = { version, integrity };
  }
  const write = (name, content) => fs.writeFileSync(path.join(folder, name), JSON.stringify(content));
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder);
  write('package.json', { private: true, dependencies });
  write('package-lock.json', { lockfileVersion: 3, requires: true, packages });
  const node = isNewNode ? process.execPath : path.join(folder, 'node_modules', NODE_PACKAGE, 'bin', 'node');
  const npm = path.join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js');
  const status = npmCi(folder, ownNpm()) || npmCi(root, [node, npm]);
  fs.rmSync(folder, { recursive: true, force: true });
  return status;
}

/** Runs `npm ci` in a folder and tells its exit code. What packages would run on installing fetches files that nothing here uses. */
function npmCi(folder, [program, ...words]) {
  const args = [
    'ci',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
    '--loglevel=error',
  ];
  return spawnSync(program, [...words, ...args], { cwd: folder, stdio: ['ignore', 2, 2] }).status;
}

/** The npm that runs this script, else the one on PATH. */
function ownNpm() {
  const npm = process.env.npm_execpath;
  return npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
}

function npmIsOld() {
  const told = /^npm\/(\d+)/.exec(process.env.npm_config_user_agent || '');
  const version = told ? told[1] : String(spawnSync('npm', ['--version']).stdout).split('.')[0];
  return Number(version) < NEEDED_NPM_MAJOR;
}

/** What the lock file names as the Node of this machine. */
function lockedNode() {
  const node = packagesIn('package-lock.json')[`node_modules/${NODE_PACKAGE}`];
  if (node !== undefined) return node;
  fs.rmSync(path.join(root, '.installing'), { force: true });
  return stopWithoutNode();
}

function stopWithoutNode() {
  stop(
    `Northline needs Node ${NEEDED_MAJOR}.${NEEDED_MINOR}, this is ${process.version} and npm has no Node ${NEEDED_MAJOR} for ${process.platform}-${process.arch}: install Node ${NEEDED_MAJOR}.${NEEDED_MINOR} or later and run the command again.`,
  );
}

/**
 * A hash of everything that the site and the server are built from, so that a second start without changes
 * builds nothing.
 */
function siteHash() {
  const hash = crypto.createHash('sha256');
  const add = (file) =>
    hash
      .update(`${path.relative(root, file)}\0`)
      .update(fs.readFileSync(file))
      .update('\0');
  const walk = (folder, wanted) => {
    for (const name of fs.readdirSync(folder).sort()) {
      const entry = path.join(folder, name);
      if (fs.statSync(entry).isDirectory()) walk(entry, wanted);
      else if (wanted.test(name)) add(entry);
    }
  };
  walk(path.join(root, 'src'), /^(?!.*\.test\.)/);
  walk(path.join(root, 'packages'), /^(?!.*\.(test|fixture)\.)/);
  for (const name of [
    'vite.config.ts',
    'package-lock.json',
    'scripts/build/build.ts',
    'scripts/build/build-voice-scripts.ts',
    'src/cli/start.ts',
  ])
    add(path.join(root, name));
  return hash.digest('hex');
}

/** The build runs in its own process, so that the bundler never uses the server's memory. */
function buildIfNeeded(node, always) {
  const built = path.join(root, 'dist', '.built-from');
  const hash = siteHash();
  if (!always && fs.existsSync(built) && fs.readFileSync(built, 'utf8') === hash) return;
  process.stderr.write('Building ...\n');
  const run = spawnSync(node, [path.join(__dirname, 'build', 'build.ts')], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (run.status !== 0) stop('The site could not be built: see the message above.');
  fs.writeFileSync(built, hash);
}

function neededNode() {
  if (isNewNode) return process.execPath;
  const own = path.join(modules, NODE_PACKAGE, 'bin', 'node');
  return fs.existsSync(own) ? own : stopWithoutNode();
}

// run.cjs [--supervised] [--with-site | --build] FILE WORDS…: FILE is relative to this folder's parent.
const given = process.argv.slice(2);
const isSupervised = given[0] === '--supervised';
const [flag, ...others] = isSupervised ? given.slice(1) : given;
const hasFlag = flag === '--with-site' || flag === '--build';
const [file, ...words] = hasFlag ? others : [flag, ...others];

installIfNeeded();
const node = neededNode();
if (hasFlag) buildIfNeeded(node, flag === '--build');
if (file === undefined) process.exit(0);
const target = path.join(root, file);
process.env.NORTHLINE_STARTED_AT ||= String(Date.now());
// One pool of native memory for all threads of the server: with one for each of them, 15 MB more are never given back.
process.env.MALLOC_ARENA_MAX ||= '1';
if (isSupervised) {
  require('./supervise.cjs')(node, [target, ...words]);
} else if (node === process.execPath) {
  process.argv.splice(1, process.argv.length, target, ...words);
  import(require('node:url').pathToFileURL(target).href).catch((error) => {
    console.error(error);
    process.exit(1);
  });
} else {
  // Installed before the child exists, so that no signal can end this process and leave the child.
  let child;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  // The channel tells the child when this process was killed and can no longer forward signals.
  child = spawn(node, [target, ...words], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  child.on('error', (error) => stop(`Node ${NEEDED_MAJOR} could not be started: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(signal ? 128 + os.constants.signals[signal] : code));
}
