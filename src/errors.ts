/**
 * Every error of the project: the runtime's own, passed through, and those of the layers above it.
 */
import { defineError } from './runtime/errors.js';

export * from './runtime/errors.js';

/** The addon is not built, or was built for another Node. */
export const AddonMissing = defineError<{ path: string; reason: string }>(
  'AddonMissing',
  (d) => `the native addon at ${d.path} cannot be loaded (${d.reason}); build it with: npm run build`,
);

export const ModelNotFound = defineError<{ path: string; reason: string }>(
  'ModelNotFound',
  (d) => `no model file can be read at ${d.path}: ${d.reason}`,
);

export const NotAModel = defineError<{ path: string; reason: string }>(
  'NotAModel',
  (d) => `${d.path} is not a GGUF model: ${d.reason}`,
);

export const ModelTruncated = defineError<{ path: string; expectedBytes: number; actualBytes: number }>(
  'ModelTruncated',
  (d) =>
    `${d.path} is cut short: its tensors need ${d.expectedBytes} bytes and the file has ${d.actualBytes}`,
);

export const ModelUnsupported = defineError<{ path: string; reason: string }>(
  'ModelUnsupported',
  (d) => `${d.path} cannot be used: ${d.reason}`,
);

export const ModelTooLarge = defineError<{
  path: string;
  needBytes: number;
  budget: 'memory.host' | 'memory.device';
  budgetBytes: number;
}>(
  'ModelTooLarge',
  (d) =>
    `${d.path} needs ${d.needBytes} bytes for weights and context, and ${d.budget} allows ${d.budgetBytes}; ` +
    `use a smaller model, fewer cells, or raise ${d.budget}`,
);

export const NotAGene = defineError<{ path: string; reason: string }>(
  'NotAGene',
  (d) => `${d.path} is no gene for this model: ${d.reason}`,
);

export const GeneTruncated = defineError<{ path: string; expectedBytes: number; actualBytes: number }>(
  'GeneTruncated',
  (d) => `${d.path} is cut short: it needs ${d.expectedBytes} bytes and the file has ${d.actualBytes}`,
);

/** `tensor`: the tensor of the file, or the weight, that does not fit. */
export const GeneUnfit = defineError<{ path: string; tensor: string; reason: string }>(
  'GeneUnfit',
  (d) => `${d.path} does not fit the model: ${d.tensor}: ${d.reason}`,
);

/** `by`: who runs it. */
export const GeneInUse = defineError<{ gene: string; by: string }>(
  'GeneInUse',
  (d) => `${d.gene} is in use by ${d.by}`,
);

/** A run names a gene that is not on the device. */
export const GeneAbsent = defineError<{ reason: string }>(
  'GeneAbsent',
  (d) => `the run names a gene that is not there: ${d.reason}`,
);

/** A gene that is to come from its file, or to be kept by it alone. */
export const GeneChanged = defineError<{ path: string; reason: string }>(
  'GeneChanged',
  (d) => `${d.path} no longer holds the gene that was loaded from it: ${d.reason}`,
);

/** A reply cannot go on: since it began its genes were replaced, or unloaded and loaded again. */
export const OtherGenes = defineError<{ genes: string }>(
  'OtherGenes',
  (d) => `the reply began with other genes of these names: ${d.genes}`,
);

/** `neededGenes`: with those that may not leave the device. */
export const GeneSlotsFull = defineError<{ neededGenes: number; slots: number }>(
  'GeneSlotsFull',
  (d) =>
    `${d.neededGenes} genes would have to be on the device at one time, and genes.slots allows ${d.slots}`,
);

export const NoSuchGene = defineError<{ name: string }>(
  'NoSuchGene',
  (d) => `no gene is named ${d.name}; load it with troupe.genes.load`,
);

export const GeneNameTaken = defineError<{ name: string; path: string }>(
  'GeneNameTaken',
  (d) => `${d.name} is the name of another gene, from ${d.path}; replace: true takes its place`,
);

export const NoSuchPage = defineError<{ name: string }>('NoSuchPage', (d) => `there is no page of ${d.name}`);

/** Nothing that a page could be made of. */
export const EmptyLane = defineError<{ name: string }>(
  'EmptyLane',
  (d) =>
    `${d.name} holds nothing that a page could keep: nothing was said there, or its page was lost to others; ` +
    'a turn there makes it anew',
);

/** Measured before anything is copied. */
export const OverCeiling = defineError<{ needBytes: number; usedBytes: number; ceilingBytes: number }>(
  'OverCeiling',
  (d) =>
    `a page of ${d.needBytes} bytes does not fit: pages take ${d.usedBytes} of the ${d.ceilingBytes} ` +
    'that memory.pages allows',
);

export const OverDiskBudget = defineError<{
  name: string;
  needBytes: number;
  usedBytes: number;
  budgetBytes: number;
}>(
  'OverDiskBudget',
  (d) =>
    `the page of ${d.name} is not written: it takes ${d.needBytes} bytes, and others take ${d.usedBytes} of the ` +
    `${d.budgetBytes} that memory.disk allows`,
);

/** `field`: what differs between the page and what it is to go into. */
export const PageMismatch = defineError<{ field: string; page: string; here: string }>(
  'PageMismatch',
  (d) => `the page does not fit: its ${d.field} is ${d.page}, and here it is ${d.here}`,
);

/** `what`: the file or section. */
export const PageCorrupt = defineError<{ what: string; reason: string }>(
  'PageCorrupt',
  (d) => `a page cannot be read: ${d.what}: ${d.reason}`,
);

/** `holder`: who has it, in words. */
export const DirectoryInUse = defineError<{ dir: string; holder: string }>(
  'DirectoryInUse',
  (d) => `the folder ${d.dir} belongs to ${d.holder}; end that, or use another folder`,
);

export const FolderNotOwn = defineError<{ dir: string; reason: string }>(
  'FolderNotOwn',
  (d) => `the folder ${d.dir} is not to hold what minds were told: ${d.reason}; use a folder of your own`,
);

export const DiskFull = defineError<{ path: string; needBytes: number; freeBytes: number }>(
  'DiskFull',
  (d) =>
    `the disk of ${d.path} is full: ${d.needBytes} bytes were to be written and ${d.freeBytes} are free; ` +
    'nothing of it was kept, and what was there before is whole',
);

/** `operation`: what of the file system failed; whatever was to be changed is as it was. */
export const DiskFailure = defineError<{ path: string; operation: string; reason: string }>(
  'DiskFailure',
  (d) => `${d.operation} of ${d.path} failed: ${d.reason}`,
);

/** All of the page is on disk and will not be lost; only its files are not yet in their places. */
export const PublicationUnfinished = defineError<{ name: string; path: string; reason: string }>(
  'PublicationUnfinished',
  (d) =>
    `the page of ${d.name} is written, but ${d.path} could not be moved into its place: ${d.reason}; ` +
    'the next that reads or writes it finishes this',
);

/** Another thread reads or writes it, or too many wait to. */
export const PageBusy = defineError<{ name: string }>(
  'PageBusy',
  (d) => `the files of the page ${d.name} are in use; try again when that is done`,
);

export const NativeFailure = defineError<{ call: string; reason: string }>(
  'NativeFailure',
  (d) => `${d.call} failed: ${d.reason}`,
);

export const ContextFull = defineError<{ needTokens: number; roomTokens: number; contextTokens: number }>(
  'ContextFull',
  (d) =>
    `the system prompt and the message take ${d.needTokens} tokens; ` +
    `a lane of ${d.contextTokens} has room for ${d.roomTokens} of prompt: shorten them, or give lanes more context`,
);

export const DeadlineExceeded = defineError<{ what: string; deadlineMs: number }>(
  'DeadlineExceeded',
  (d) => `${d.what} did not end within its deadline of ${d.deadlineMs} ms`,
);

export const EngineLost = defineError<{ reason: string }>(
  'EngineLost',
  (d) => `the engine was lost while the turn ran: ${d.reason}`,
);

export const DecodeFailed = defineError<{ lane: number; reason: string }>(
  'DecodeFailed',
  (d) => `lane ${d.lane} failed to decode twice: ${d.reason}`,
);

export const LaneMismatch = defineError<{ lane: number; expected: string; actual: string }>(
  'LaneMismatch',
  (d) => `lane ${d.lane} holds ${d.actual}; the run assumed ${d.expected}`,
);

/** `by`: what goes on in the room. */
export const RoomBusy = defineError<{ mind: string; room: string; by: string }>(
  'RoomBusy',
  (d) =>
    `the room ${d.room} of ${d.mind} cannot be forgotten or moved while ${d.by}; try again when that is over`,
);

export const NoSuchMind = defineError<{ name: string }>('NoSuchMind', (d) => `no mind is named ${d.name}`);

export const MindLeft = defineError<{ name: string }>('MindLeft', (d) => `the mind ${d.name} has left`);

export const TemplateFailed = defineError<{ reason: string }>(
  'TemplateFailed',
  (d) => `the model's chat template cannot render this conversation: ${d.reason}`,
);

/** `near`: the name that was probably meant. */
export const NoSuchActor = defineError<{ name: string; near: string | undefined }>(
  'NoSuchActor',
  (d) => `no actor is named ${d.name}${d.near === undefined ? '' : `; the nearest name is ${d.near}`}`,
);

/** `what`: the process, or the socket, that was to be observed. */
export const ObserverFailed = defineError<{ what: string; reason: string }>(
  'ObserverFailed',
  (d) => `${d.what} cannot be observed: ${d.reason}`,
);

/** `label`: the process that was asked for, if one was. */
export const NoTroupe = defineError<{ dir: string; label: string | undefined }>(
  'NoTroupe',
  (d) =>
    `no troupe ${d.label === undefined ? '' : `of process ${d.label} `}runs with its data in ${d.dir}; ` +
    'start one, as with: troupe demo (or name its folder with --dir)',
);

export const ManyTroupes = defineError<{ dir: string; labels: readonly string[] }>(
  'ManyTroupes',
  (d) =>
    `${d.labels.length} troupes run with their data in ${d.dir}, of the processes ${d.labels.join(', ')}; ` +
    'say which with --pid',
);
