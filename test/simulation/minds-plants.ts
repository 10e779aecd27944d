/**
 * What is planted in simulated minds, to see whether the checks find it: of each property that seeds are held to, one fault at
 * least that breaks it.
 */
import type { Run } from '../../src/actors/engine/protocol.js';
import type { ActorId } from '../../src/runtime/address.js';
import type { MindsFault, PlantedInMinds } from './minds-subject.js';
import {
  answers,
  both,
  change,
  each,
  forgetting,
  isEngines,
  isRealtime,
  isReclaimed,
  keeping,
  losing,
  remove,
  removeIf,
  saying,
  silent,
  startless,
  takingBack,
  unpinning,
  within,
} from './planting.js';

const FULL: MindsFault[] = [1, 300, 600, 900].map((at) => ({ kind: 'full-disk', at, after: 1 }));

export interface Plant {
  readonly property: string;
  readonly fault: string;
  readonly planted: PlantedInMinds;
  readonly faults?: readonly MindsFault[];
}

export const PLANTS: readonly Plant[] = [
  {
    property: 'a run comes to its end',
    fault: 'a broker that cannot start',
    planted: { wrappings: [startless('broker')] },
  },
  {
    property: 'no lane has two owners',
    fault: 'grants of another lane',
    planted: {
      wrappings: [saying('broker', (said) => (said.type === 'granted' ? { ...said, lane: 0 } : said))],
    },
  },
  {
    property: 'a waiting turn holds nothing',
    fault: 'turns that wait and have lanes',
    planted: { wrappings: [takingBack()] },
  },
  {
    property: 'no page is both in a lane and in the store',
    fault: 'pages that stay when they come in',
    planted: { fakes: ({ addon }) => Object.assign(addon.pages, { release: () => {} }) },
  },
  {
    property: 'no pinned gene leaves the device',
    fault: 'pins that are forgotten',
    planted: { wrappings: [forgetting()] },
  },
  {
    property: 'every wait can end',
    fault: 'waits for nobody',
    planted: {
      wrappings: [
        within('mind-0', (ctx) => ({ wait: (wait) => ctx.wait({ ...wait, for: 12_345 as ActorId }) })),
      ],
      planted: each('request', removeIf(isRealtime)),
    },
  },
  {
    property: 'every wait can end',
    fault: 'waits that do not say why',
    planted: {
      wrappings: [within('broker', (ctx) => ({ wait: (wait) => ctx.wait({ ...wait, reason: '' }) }))],
    },
  },
  {
    property: 'every wait can end',
    fault: 'waits that go on after their deadline',
    planted: {
      wrappings: [
        within('mind-0', (ctx) => ({ wait: (wait) => ctx.wait({ ...wait, deadlineMs: 1 }) && (() => {}) })),
      ],
    },
  },
  {
    property: 'every turn settles',
    fault: 'turns whose end no caller hears of',
    planted: {
      stage: ({ reader }) => {
        reader.open = (_number, turn) => {
          turn.end = () => {};
        };
      },
    },
  },
  {
    property: 'every turn ends as it may',
    fault: 'answers that are lost',
    planted: { planted: answers(remove) },
  },
  {
    property: 'every turn ends as it may',
    fault: 'grants of another lane',
    planted: { planted: each('granted', change({ lane: 0 })) },
  },
  {
    property: 'every turn ends as it may',
    fault: 'a run that is given up without a last word',
    planted: { planted: each('done', removeIf(isReclaimed)) },
  },
  {
    property: 'every turn ends as it may',
    fault: 'a gene that is let go of as soon as it is pinned',
    planted: { wrappings: [unpinning()] },
  },
  {
    property: 'a turn says what it says alone',
    fault: 'pieces of another text',
    planted: {
      planted: each('pieces', (batch, at) => (batch[at + 4] as { texts: string[] }).texts.fill('x')),
    },
  },
  {
    property: 'a turn says what it says alone',
    fault: 'genes that do not run',
    planted: { native: (context) => Object.assign(context, { setGenes: () => {} }) },
  },
  {
    property: 'a turn says what it says alone',
    fault: 'a reply that goes on from other words',
    planted: { planted: each('run', (batch, at) => (batch[at + 4] as Run).soFar?.tokens.fill(1)) },
  },
  {
    property: 'lanes, cells and genes add up',
    fault: 'cells that are held for what the broker takes to be empty',
    planted: { planted: each('ran', change({ held: 0, activity: undefined })) },
  },
  {
    property: 'lanes, cells and genes add up',
    fault: 'cells that are said to be shared and are not, to an engine that does not look',
    planted: {
      planted: both(
        each('ran', change({ stretches: [{ origin: 0, to: 200 }] })),
        each('granted', change({ sharing: 0 })),
      ),
    },
  },
  {
    property: 'lanes, cells and genes add up',
    fault: 'a lane that keeps what was cut off',
    planted: { native: (context) => Object.assign(context, { cut: () => true }) },
  },
  {
    property: 'in the end nothing is held back',
    fault: 'a run whose end nobody hears of',
    planted: { planted: each('ran', remove) },
  },
  {
    property: 'nothing starves',
    fault: 'requests of a mind that are lost',
    planted: {
      planted: each('request', removeIf(isRealtime)),
    },
  },
  {
    property: 'genes come and go as they may',
    fault: 'a gene whose end nobody hears of',
    planted: { planted: each('unload', remove) },
  },
  {
    property: 'pages add up',
    fault: 'pages whose end nobody hears of',
    planted: { planted: each('unpaged', remove) },
  },
  {
    property: 'leases add up',
    fault: 'an engine that says nothing of what it holds',
    planted: {
      planted: each(
        'holds',
        removeIf(({ holder }) => holder === 'engine'),
      ),
    },
  },
  {
    property: 'leases add up',
    fault: 'a pager that says nothing of its files',
    planted: {
      wrappings: [keeping('pager', ({ type }) => type === 'holds')],
    },
  },
  {
    property: 'leases add up',
    fault: 'a residency that says nothing of its genes',
    planted: {
      wrappings: [keeping('residency', ({ type }) => type === 'holds')],
    },
  },
  {
    property: 'every move settles',
    fault: 'moves that are never answered',
    planted: { wrappings: [silent('pager', ['page-out', 'page-in'])] },
  },
  {
    property: 'every spill and recall settles',
    fault: 'spills that are never answered',
    planted: { wrappings: [silent('pager', ['spill', 'restore'])] },
  },
  {
    property: 'every relaunch settles',
    fault: 'an engine that is never told to begin anew',
    planted: { planted: each('relaunch', removeIf(isEngines)) },
  },
  {
    property: 'a page on disk is one whole generation',
    fault: 'files that are shorter than they were written',
    planted: {
      fakes: ({ folder: { disk } }) => {
        const { write } = disk;
        disk.write = (file, bytes, position) => {
          write.call(disk, file, bytes.subarray(1), position);
          return bytes.length;
        };
      },
    },
  },
  {
    property: 'a page on disk is one whole generation',
    fault: 'an old page that goes when a new one fails',
    faults: FULL,
    planted: { fakes: losing },
  },
  {
    property: 'what is said of disks is true',
    fault: 'rooms that are on disk and are not read',
    planted: {
      wrappings: [
        saying('broker', (said) => (said.type === 'granted' ? { ...said, read: undefined } : said)),
      ],
    },
  },
  {
    property: 'what is said of disks is true',
    fault: 'receipts that do not say what was read',
    planted: { planted: each('granted', change({ read: undefined })) },
  },
];
