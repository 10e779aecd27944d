/**
 * Mixing: what it costs that minds with different genes decode in one batch.
 */
import { form } from './mixing/form.mjs';
import { phenotypes } from './mixing/phenotypes.mjs';
import { prefix } from './mixing/prefix.mjs';
import { rebuilds } from './mixing/rebuilds.mjs';
import { servers } from './mixing/servers.mjs';

export const bench = { name: 'mixing', parts: [...phenotypes, form, rebuilds, ...servers, prefix] };
