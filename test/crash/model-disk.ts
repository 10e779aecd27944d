/**
 * A disk in memory that can lose its power. What was not synced may be lost: of a file any bytes since its last sync, of a
 * folder any changes of its names, but for each name in their order. Only this holds without a sync: a rename never
 * loses the file.
 */
import type { Disk } from '../../src/pages/disk.js';

interface Change {
  readonly name: string;
  /** Undefined: the name is gone. */
  readonly node: number | undefined;
  /** The other half of a rename: it is on the disk if this is. */
  readonly needs?: { readonly folder: Folder; readonly change: Change };
}

interface Folder {
  readonly names: Map<string, number>;
  readonly lasting: Map<string, number>;
  readonly pending: Change[];
}

interface File {
  data: Uint8Array;
  lasting: Uint8Array;
}

type Node = Folder | File;

const isFolder = (node: Node): node is Folder => 'names' in node;

const failure = (code: string, path: string): Error =>
  Object.assign(new Error(`${code}: ${path}`), { code, syscall: 'model' });

export class ModelDisk implements Disk {
  readonly #nodes = new Map<number, Node>([[0, newFolder()]]);
  readonly #open = new Map<number, { node: number; position: number }>();
  #last = 0;
  #lastFile = 100;
  free = Number.MAX_SAFE_INTEGER;

  open(path: string, flags: 'r' | 'wx'): number {
    if (flags === 'wx')
      this.#change(path, this.#add({ data: new Uint8Array(), lasting: new Uint8Array() }), false);
    const file = ++this.#lastFile;
    this.#open.set(file, { node: this.#find(path), position: 0 });
    return file;
  }

  close(file: number): void {
    this.#open.delete(file);
  }

  write(file: number, bytes: Uint8Array, position: number | null): number {
    const { open, node } = this.#opened(file);
    const at = position ?? open.position;
    const data = new Uint8Array(Math.max(node.data.length, at + bytes.length));
    data.set(node.data);
    data.set(bytes, at);
    node.data = data;
    if (position === null) open.position = at + bytes.length;
    return bytes.length;
  }

  read(file: number, bytes: Uint8Array): number {
    const { open, node } = this.#opened(file);
    const part = node.data.subarray(open.position, open.position + bytes.length);
    bytes.set(part);
    open.position += part.length;
    return part.length;
  }

  size(file: number): number {
    return this.#opened(file).node.data.length;
  }

  sync(file: number): void {
    const node = this.#nodes.get(this.#open.get(file)?.node ?? -1) as Node;
    if (isFolder(node)) for (const change of [...node.pending]) persist(node, change);
    else node.lasting = node.data.slice();
  }

  rename(from: string, to: string): void {
    const added = this.#change(to, this.#find(from), true);
    this.#change(from, undefined, true, added);
  }

  unlink(path: string): void {
    if (isFolder(this.#nodes.get(this.#find(path)) as Node)) throw failure('EISDIR', path);
    this.#change(path, undefined, true);
  }

  makeFolder(path: string): void {
    this.#change(path, this.#add(newFolder()), false);
  }

  removeFolder(path: string): void {
    if (this.entries(path).length > 0) throw failure('ENOTEMPTY', path);
    this.#change(path, undefined, true);
  }

  entries(path: string): string[] {
    const node = this.#nodes.get(this.#find(path)) as Node;
    if (!isFolder(node)) throw failure('ENOTDIR', path);
    return [...node.names.keys()];
  }

  freeBytes(): number {
    return this.free;
  }

  /** What is there when the power comes back. `chance`: numbers from 0 to 1. */
  losePower(chance: () => number): void {
    for (const node of this.#nodes.values()) {
      if (!isFolder(node)) continue;
      for (const name of new Set(node.pending.map((change) => change.name))) {
        const changes = node.pending.filter((change) => change.name === name);
        const last = changes[Math.floor(chance() * (changes.length + 1)) - 1];
        if (last) persist(node, last);
      }
    }
    for (const node of this.#nodes.values()) {
      if (isFolder(node)) {
        node.pending.length = 0;
        node.names.clear();
        for (const [name, id] of node.lasting) node.names.set(name, id);
      } else if (!Buffer.from(node.data).equals(node.lasting)) {
        // Some of the new bytes, and garbage for the others: the length may be there before the bytes are.
        const kept = Math.floor(chance() * (node.data.length + 1));
        node.data = node.data.slice().fill(0, kept);
        node.lasting = node.data.slice();
      }
    }
    this.#open.clear();
  }

  #add(node: Node): number {
    this.#nodes.set(++this.#last, node);
    return this.#last;
  }

  #opened(file: number): { open: { node: number; position: number }; node: File } {
    const open = this.#open.get(file);
    if (open === undefined) throw failure('EBADF', String(file));
    return { open, node: this.#nodes.get(open.node) as File };
  }

  #find(path: string): number {
    let at = 0;
    for (const name of path.split('/').filter((part) => part !== '')) {
      const node = this.#nodes.get(at) as Node;
      const next = isFolder(node) ? node.names.get(name) : undefined;
      if (next === undefined) throw failure('ENOENT', path);
      at = next;
    }
    return at;
  }

  #change(path: string, node: number | undefined, over: boolean, needs?: Change['needs']): Change['needs'] {
    const slash = path.lastIndexOf('/');
    const folder = this.#nodes.get(this.#find(path.slice(0, slash))) as Folder;
    const name = path.slice(slash + 1);
    if (!over && folder.names.has(name)) throw failure('EEXIST', path);
    const change: Change = { name, node, ...(needs && { needs }) };
    folder.pending.push(change);
    apply(folder.names, change);
    return { folder, change };
  }
}

const newFolder = (): Folder => ({ names: new Map(), lasting: new Map(), pending: [] });

/** A change is on the disk, and those of its name before it, and what they need. */
function persist(folder: Folder, last: Change): void {
  const before = folder.pending.slice(0, folder.pending.indexOf(last) + 1);
  for (const change of before.filter(({ name }) => name === last.name)) {
    folder.pending.splice(folder.pending.indexOf(change), 1);
    apply(folder.lasting, change);
    if (change.needs) persist(change.needs.folder, change.needs.change);
  }
}

function apply(names: Map<string, number>, { name, node }: Change): void {
  if (node === undefined) names.delete(name);
  else names.set(name, node);
}
