import { describe, expect, it } from 'vitest';
import { BadArgument } from '../../src/errors.js';
import { lineReader } from '../../src/observer/lines.js';
import { parseRequest } from '../../src/observer/protocol.js';

describe('R6 the protocol', () => {
  it.each([
    [
      { id: 1, type: 'inspect' },
      { type: 'inspect', limit: 500 },
    ],
    [
      { id: 1, type: 'inspect', limit: 2_000 },
      { type: 'inspect', limit: 2_000 },
    ],
    [
      { id: 1, type: 'why', name: 'ada' },
      { type: 'why', name: 'ada' },
    ],
    [
      { id: 1, type: 'peek', name: 'ada' },
      { type: 'peek', name: 'ada', preview: false },
    ],
    [
      { id: 1, type: 'peek', name: 'ada', preview: true },
      { type: 'peek', name: 'ada', preview: true },
    ],
    [
      { id: 1, type: 'trace' },
      { type: 'trace', actor: undefined, event: undefined, forMs: 10_000, perSecond: 50 },
    ],
    [
      { id: 1, type: 'trace', actor: 'ada', event: 'turn.waiting', forMs: 5, perSecond: 1 },
      { type: 'trace', actor: 'ada', event: 'turn.waiting', forMs: 5, perSecond: 1 },
    ],
  ])('R6 reads %j', (given, request) => {
    expect(parseRequest(JSON.stringify(given))).toEqual({ id: 1, request });
  });

  it.each([
    ['', /one line of JSON/],
    ['[', /one line of JSON/],
    ['null', /one line of JSON/],
    ['{}', /id is undefined; expected a whole number/],
    ['{"id":-1,"type":"inspect"}', /id is -1/],
    ['{"id":1}', /type is undefined; expected inspect, why, genes, memory, pages, peek, trace or messages/],
    ['{"id":1,"type":"halt"}', /type is "halt"/],
    ['{"id":1,"type":"inspect","limit":2001}', /limit is 2001; expected a whole number from 1 to 2000/],
    ['{"id":1,"type":"inspect","limit":"9"}', /limit is "9"/],
    ['{"id":1,"type":"why"}', /name is undefined; expected a string/],
    ['{"id":1,"type":"why","name":""}', /name is ""/],
    ['{"id":1,"type":"peek","name":7}', /name is 7/],
    ['{"id":1,"type":"trace","forMs":60001}', /forMs is 60001/],
    ['{"id":1,"type":"trace","perSecond":1e9}', /perSecond is 1000000000/],
    ['{"id":1,"type":"trace","actor":[]}', /actor is \[\]/],
  ])('R6 refuses %s', (line, says) => {
    const parse = () => parseRequest(line);
    expect(parse).toThrow(BadArgument);
    expect(parse).toThrow(says);
  });
});

describe('R6 lines', () => {
  const read = (chunks: string[], most = 10): string[] => {
    const lines: string[] = [];
    const take = lineReader(most, (line) => lines.push(line));
    for (const chunk of chunks) take(chunk);
    return lines;
  };

  it.each([
    [['a\nb\n'], ['a', 'b']],
    [
      ['a', 'b\n', '\n\nc\n'],
      ['ab', 'c'],
    ],
    [['a\nunfinished'], ['a']],
    [['0123456789\n'], ['0123456789']],
    [[], []],
  ])('R6 %j are %j', (chunks, lines) => {
    expect(read(chunks)).toEqual(lines);
  });

  it.each([[['01234567890\n']], [['012345', '67890']]])('R6 %j are too long', (chunks) => {
    expect(() => read(chunks)).toThrow('more than 10 characters');
  });
});
