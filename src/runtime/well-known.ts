/**
 * Actors of the runtime that live at fixed addresses on the control thread, in the order they are started there.
 */
import { makeId } from './address.js';

export const MAIN_THREAD = 0;
export const CONTROL_THREAD = 1;

/** The module of a supervisor, for those who spawn one. */
export const SUPERVISOR = new URL('./supervisor.js', import.meta.url).href;

export const DIRECTORY = makeId(CONTROL_THREAD, 1, 1);
export const STORE = makeId(CONTROL_THREAD, 2, 1);
