/**
 * The same decode through the peers: llama-server at 8 minds, node-llama-cpp at 4.
 */
import { benchModel } from '../models/make.mjs';
import { llamaPrograms } from '../peers/llama.mjs';
import { nodePeers } from '../peers/node.mjs';
import { reportComparison } from './comparison.mjs';
import { EMBEDDED, REPLY, script, settings } from './settings.mjs';

const embedded = async () => ({ model: EMBEDDED, context: 1024, replyTokens: 900 });
const bench = async (say) => ({ model: (await benchModel({ say })).model, replyTokens: REPLY });

const server = {
  figures: ['server-8'],
  async run({ say, report }) {
    const { server: program } = await llamaPrograms({ say });
    const { model } = await benchModel({ say });
    await reportComparison({
      figure: 'server-8',
      bar: 1,
      report,
      say,
      sides: (threads) => {
        const same = { ...settings({ model, minds: 8, threads }), replyTokens: REPLY };
        return [
          { script: script('sides/troupe'), options: same },
          { script: script('peers/llama-server'), options: { ...same, program } },
        ];
      },
    });
  },
};

const nodeLlamaCpp = (figure, bar, sizeOf) => ({
  figures: [figure],
  async run({ say, report }) {
    await nodePeers({ say });
    const size = await sizeOf(say);
    await reportComparison({
      figure,
      bar,
      report,
      say,
      sides: (threads) => {
        const options = { ...settings({ minds: 4, threads, ...size }), replyTokens: size.replyTokens };
        return [
          { script: script('sides/troupe'), options },
          { script: script('peers/node-llama-cpp'), options },
        ];
      },
    });
  },
});

export const peers = [server, nodeLlamaCpp('nlc-4', 1, bench), nodeLlamaCpp('nlc-4-small', 2, embedded)];
