/**
 * The packages of the lock file: whether they are installed, and installing them.
 *
 * npm writes what it installed into `node_modules/.package-lock.json` when it is done, so that is what is
 * compared: an install that was cut short, or one by hand from another lock file, does not match.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const packagesOf = (file) => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
  } catch {
    return undefined;
  }
};

/** True if `installed` (npm's record) holds what `locked` asks for; optional packages may be absent. */
export function matchesLock(locked, installed) {
  if (!installed) return false;
  const named = Object.entries(locked).filter(([path]) => path !== '');
  return named.every(([path, wanted]) => {
    const have = installed[path];
    return have ? have.version === wanted.version : wanted.optional === true;
  });
}

export function packagesInstalled(root) {
  const locked = packagesOf(join(root, 'package-lock.json'));
  if (!locked) throw new Error(`no readable package-lock.json in ${root}`);
  return matchesLock(locked, packagesOf(join(root, 'node_modules', '.package-lock.json')));
}

/**
 * `npm install` of the lock file's versions, with no install scripts. Not `npm ci`: that insists on an entry for every
 * optional package of every platform, and a registry need not carry them all. `which`: npm's `--include`, `--omit`.
 */
export function installPackages(root, which = '--include=dev') {
  const [npm, ...first] = npmCommand();
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const args = [...first, 'install', '--no-save', which, '--ignore-scripts', ...quiet];
  return new Promise((resolve, reject) => {
    const child = spawn(npm, args, { cwd: root, stdio: ['ignore', 2, 2] });
    child.on('error', reject);
    child.on('exit', (code, signal) =>
      code === 0
        ? resolve()
        : reject(new Error(`npm install failed (${signal ?? `exit code ${code}`}); its message is above`)),
    );
  });
}

/** The npm that runs us, else the one on the PATH. */
function npmCommand(env = process.env) {
  const own = env.npm_execpath;
  return own?.endsWith('.js') ? [process.execPath, own] : ['npm'];
}
