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
// The last version that runs on Node 18.
const NEWER_NPM = 'npm@10.9.4';
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

function installed() {
  return fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === lockHash();
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
  const npm = process.env.npm_execpath;
  // Install scripts of packages would download files that nothing here uses.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const options = { cwd: root, stdio: ['ignore', 2, 2] };
  const call = (words) =>
    npm?.endsWith('.js')
      ? spawnSync(process.execPath, [npm, ...words], options)
      : spawnSync('npm', words, options);
  const run = call(npmIsOld() ? ['exec', '--yes', `--package=${NEWER_NPM}`, '--', 'npm', ...args] : args);
  if (run.status !== 0) {
    fs.rmSync(path.join(root, '.installing'), { force: true });
    stop("The dependencies could not be installed: see npm's message above, then run the command again.");
  }
  fs.writeFileSync(stamp, lockHash());
}

/**
 * npm 9 (Debian's) cannot read overrides that replace one package by another; in that case a newer npm is
 * fetched.
 */
function npmIsOld() {
  const told = /^npm\/(\d+)/.exec(process.env.npm_config_user_agent || '');
  const version = told ? told[1] : String(spawnSync('npm', ['--version']).stdout).split('.')[0];
  return Number(version) < 10;
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
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > NEEDED_MAJOR || (major === NEEDED_MAJOR && minor >= NEEDED_MINOR)) return process.execPath;
  const own = path.join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (fs.existsSync(own)) return own;
  return stop(
    `Northline needs Node ${NEEDED_MAJOR}.${NEEDED_MINOR}, this is ${process.version} and npm has no Node ${NEEDED_MAJOR} for ${process.platform}-${process.arch}: install Node ${NEEDED_MAJOR}.${NEEDED_MINOR} or later and run the command again.`,
  );
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
