/**
 * Starting a troupe for a command: with a sign of life while a large model loads.
 */
import { Troupe, type TroupeOptions } from '../index.js';

/** A load shorter than this, in ms, is not worth a word. */
const SILENT_MS = 500;

/** The options that were given; left-out ones may be undefined here. */
type Given = { readonly [Option in keyof TroupeOptions]: TroupeOptions[Option] | undefined };

export async function openTroupe(given: Given): Promise<Troupe> {
  const options: TroupeOptions = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  );
  const notice = loadNotice(process.stderr);
  try {
    return await Troupe.start({ ...options, onProgress: ({ fraction }) => notice.show(fraction) });
  } finally {
    notice.clear();
  }
}

/** On a terminal one line that counts up and goes away again; elsewhere nothing. */
function loadNotice(stream: NodeJS.WriteStream): { show(fraction: number): void; clear(): void } {
  const began = performance.now();
  let shown = false;
  return {
    show(fraction) {
      if (!stream.isTTY || performance.now() - began < SILENT_MS) return;
      shown = true;
      stream.write(`\rloading the model: ${Math.round(100 * fraction)} %`);
    },
    clear() {
      if (shown) stream.write('\r\x1b[K');
    },
  };
}
