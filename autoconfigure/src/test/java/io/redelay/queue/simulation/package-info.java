/**
 * Whole instances on one thread, in virtual time, by the scripts of the jar on a Redis in
 * memory; a seed repeats each run.
 */
package io.redelay.queue.simulation;
